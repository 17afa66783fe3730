/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DIVAN_IO_SCENE_EXPORT_H
#define DIVAN_IO_SCENE_EXPORT_H

#include <divan/contracts/scene_export.h>

extern const DvSceneExportOps scene_export_ops;

#endif
