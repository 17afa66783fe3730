/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Names that scenes of earlier years use for classes, fields and modules of this plugin.
 */
#include <divan/plugin.h>

extern const DvRename mechanics_renames[];
const DvRename mechanics_renames[] = {
    {DV_RENAME_CLASS, NULL, "FixedConstraint", "FixedProjectiveConstraint"},
    {DV_RENAME_CLASS, NULL, "ParticleStiffSpringForceField", "SpringForceField"},
    {DV_RENAME_CLASS, NULL, "RigidRigidMapping", "RigidMapping"},
    {DV_RENAME_CLASS, NULL, "StiffSpringForceField", "SpringForceField"},
    {DV_RENAME_CLASS_HARMLESS, NULL, "MappingGeometricStiffnessForceField",
     "assembled systems contain the stiffness of mappings by themselves"},
    {DV_RENAME_CLASS_HARMLESS, NULL, "MechanicalMatrixMapper",
     "assembled systems contain mapped components by themselves"},
    {DV_RENAME_CLASS_REMOVED, NULL, "PointConstraint", "FixedProjectiveConstraint"},

    {DV_RENAME_FIELD, "BarycentricMapping", "object1", "input"},
    {DV_RENAME_FIELD, "BarycentricMapping", "object2", "output"},
    {DV_RENAME_FIELD, "IdentityMapping", "object1", "input"},
    {DV_RENAME_FIELD, "IdentityMapping", "object2", "output"},
    {DV_RENAME_FIELD, "RigidMapping", "object1", "input"},
    {DV_RENAME_FIELD, "RigidMapping", "object2", "output"},
    {DV_RENAME_FIELD, "DiagonalMass", "fileMass", "filename"},
    {DV_RENAME_FIELD, "UniformMass", "mass", "vertexMass"},
    {DV_RENAME_FIELD, "UniformMass", "totalmass", "totalMass"},
    {DV_RENAME_FIELD_HARMLESS, "DiagonalMass", "mass", "set vertexMass"},
    {DV_RENAME_FIELD_HARMLESS, "MechanicalObject", "isToPrint", NULL},
    {DV_RENAME_FIELD_HARMLESS, "MechanicalObject", "useMask", NULL},

    {DV_RENAME_MODULE, NULL, "Sofa.Component.Constraint", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Constraint.Projective", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Mapping", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Mapping.Linear", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Mapping.MappedMatrix", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Mapping.NonLinear", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Mass", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.MechanicalLoad", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.SolidMechanics", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.SolidMechanics.FEM", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.SolidMechanics.FEM.Elastic", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.SolidMechanics.Spring", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.StateContainer", NULL},
    {DV_RENAME_MODULE, NULL, "SofaBaseMechanics", NULL},
    {DV_RENAME_MODULE, NULL, "SofaBoundaryCondition", NULL},
    {DV_RENAME_MODULE, NULL, "SofaDeformable", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralDeformable", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralSimpleFem", NULL},
    {DV_RENAME_MODULE, NULL, "SofaMiscFem", NULL},
    {DV_RENAME_MODULE, NULL, "SofaMiscForceField", NULL},
    {DV_RENAME_MODULE, NULL, "SofaMiscMapping", NULL},
    {DV_RENAME_MODULE, NULL, "SofaRigid", NULL},
    {DV_RENAME_MODULE, NULL, "SofaSimpleFem", NULL},
    {0},
};
