/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of visual models: surfaces, lights, cameras, settings of viewers. classes.def lists its classes.
 */
#include <divan/plugin.h>

#include "picture/recorder.h"

#define DV_CLASS(name) extern const DvClass name;
#include "classes.def"
#undef DV_CLASS

static const DvClass *const classes[] = {
#define DV_CLASS(name) &name,
#include "classes.def"
#undef DV_CLASS
    NULL,
};

/* Names of earlier years. */
static const DvRename renames[] = {
    {DV_RENAME_CLASS, NULL, "OglGrid", "VisualGrid"},
    {DV_RENAME_CLASS, NULL, "OBJExporter", "VisualModelOBJExporter"},
    {DV_RENAME_CLASS, NULL, "ObjExporter", "VisualModelOBJExporter"},
    {DV_RENAME_CLASS, NULL, "OglLineAxis", "LineAxis"},
    {DV_RENAME_CLASS, NULL, "VisualManagerLoop", "DefaultVisualManagerLoop"},
    {DV_RENAME_FIELD, "OglLabel", "labelString", "label"},
    {DV_RENAME_FIELD, "VisualGrid", "draw", "enable"},
    {DV_RENAME_FIELD, "LineAxis", "draw", "enable"},
    /* Display attributes of nodes, 2007 to 2011: they make a VisualStyle named displayFlags. */
    {DV_RENAME_FIELD, "Node", "showAll", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showVisual", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showBehavior", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showCollision", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showMapping", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showVisualModels", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showBehaviorModels", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showCollisionModels", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showBoundingCollisionModels", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showMappings", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showMechanicalMappings", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showForceFields", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showInteractionForceFields", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showWireFrame", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD, "Node", "showNormals", "VisualStyle.displayFlags"},
    {DV_RENAME_FIELD_HARMLESS, "Node", "showBoundingTree",
     "bounding trees are shown by showBoundingCollisionModels of a VisualStyle"},
    {DV_RENAME_MODULE, NULL, "Sofa.GL.Component", NULL},
    {DV_RENAME_MODULE, NULL, "SofaOpenglVisual", NULL},
    {DV_RENAME_MODULE, NULL, "SofaVisual", NULL},
    {DV_RENAME_MODULE, NULL, "SofaBaseVisual", NULL},
    {0},
};

static const DvContract offers[] = {{.id = DV_PICTURE_RECORDER, .ops = &picture_recorder_ops}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.visual",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Surfaces, lights, cameras and settings of viewers.",
    .offers = offers,
    .classes = classes,
    .renames = renames,
};
