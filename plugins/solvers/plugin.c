/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin divan.solvers: time integration, linear solvers and their systems, animation loops. classes.def lists the
 * classes; the table below is the vocabulary of older scenes.
 */
#include <divan/contracts/mechanical_operations.h>
#include <divan/plugin.h>

#include "constraint/solver/problem_words.h"
#include "modal/modes.h"

#define DV_CLASS(name) extern const DvClass name;
#include "classes.def"
#undef DV_CLASS

#define DV_CLASS(name) &name,
static const DvClass *const classes[] = {
#include "classes.def"
    NULL,
};
#undef DV_CLASS

/* Of the expanded names: one object became two. */
#define IMPLICIT_EULER_WITH_CG                                                                    \
    "<Group><EulerImplicitSolver rayleighStiffness=\"0.1\" rayleighMass=\"0.1\" vdamping=\"0\"/>" \
    "<CGLinearSolver iterations=\"25\" tolerance=\"1e-5\" threshold=\"1e-5\"/></Group>"

/* Of the family of constraints that solved for velocities and positions apart. */
#define LM_CONSTRAINTS "FreeMotionAnimationLoop, a constraint correction and BlockGaussSeidelConstraintSolver"

#define NO_MULTIGRID "contacts are solved for on one level"

static const DvRename renames[] = {
    {DV_RENAME_CLASS, NULL, "Euler", "EulerExplicitSolver"},
    {DV_RENAME_CLASS, NULL, "EulerSolver", "EulerExplicitSolver"},
    {DV_RENAME_CLASS, NULL, "EulerExplicit", "EulerExplicitSolver"},
    {DV_RENAME_CLASS, NULL, "ExplicitEuler", "EulerExplicitSolver"},
    {DV_RENAME_CLASS, NULL, "ExplicitEulerSolver", "EulerExplicitSolver"},
    {DV_RENAME_CLASS, NULL, "EulerImplicit", "EulerImplicitSolver"},
    {DV_RENAME_CLASS, NULL, "ImplicitEuler", "EulerImplicitSolver"},
    {DV_RENAME_CLASS, NULL, "ImplicitEulerSolver", "EulerImplicitSolver"},
    {DV_RENAME_CLASS_EXPANDED, NULL, "CGImplicit", IMPLICIT_EULER_WITH_CG},
    {DV_RENAME_CLASS_EXPANDED, NULL, "CGImplicitSolver", IMPLICIT_EULER_WITH_CG},
    {DV_RENAME_CLASS, NULL, "RungeKutta2", "RungeKutta2Solver"},
    {DV_RENAME_CLASS, NULL, "RungeKutta4", "RungeKutta4Solver"},
    {DV_RENAME_CLASS, NULL, "CentralDifference", "CentralDifferenceSolver"},
    {DV_RENAME_CLASS, NULL, "VariationalSolver", "VariationalSymplecticSolver"},
    {DV_RENAME_CLASS, NULL, "DampVelocity", "DampVelocitySolver"},
    {DV_RENAME_CLASS, NULL, "CGSolver", "CGLinearSolver"},
    {DV_RENAME_CLASS, NULL, "ConjugateGradient", "CGLinearSolver"},
    {DV_RENAME_CLASS, NULL, "ShewchukPCGLinearSolver", "PCGLinearSolver"},
    {DV_RENAME_CLASS, NULL, "JacobiLinearSolver", "JacobiPreconditioner"},
    {DV_RENAME_CLASS, NULL, "JacobiSolver", "JacobiPreconditioner"},
    {DV_RENAME_CLASS, NULL, "SSORLinearSolver", "SSORPreconditioner"},
    {DV_RENAME_CLASS, NULL, "SSORSolver", "SSORPreconditioner"},
    {DV_RENAME_CLASS, NULL, "MINRESSolver", "MinResLinearSolver"},
    {DV_RENAME_CLASS, NULL, "MinResSolver", "MinResLinearSolver"},
    {DV_RENAME_CLASS, NULL, "ParallelCGLinearSolver", "CGLinearSolver"},
    {DV_RENAME_CLASS, NULL, "MasterSolver", "DefaultAnimationLoop"},
    {DV_RENAME_CLASS, NULL, "BilateralInteractionConstraint", "BilateralLagrangianConstraint"},
    {DV_RENAME_CLASS, NULL, "SlidingConstraint", "SlidingLagrangianConstraint"},
    {DV_RENAME_CLASS, NULL, "StopperConstraint", "StopperLagrangianConstraint"},
    {DV_RENAME_CLASS, NULL, "UniformConstraint", "UniformLagrangianConstraint"},
    {DV_RENAME_CLASS, NULL, "FreeMotionMasterSolver", "FreeMotionAnimationLoop"},
    {DV_RENAME_CLASS, NULL, "MasterConstraintSolver", "ConstraintAnimationLoop"},
    {DV_RENAME_CLASS, NULL, "MultiStepMasterSolver", "MultiStepAnimationLoop"},
    {DV_RENAME_CLASS, NULL, "MultiTagMasterSolver", "MultiTagAnimationLoop"},
    {DV_RENAME_CLASS, NULL, "GenericConstraintSolver", "BlockGaussSeidelConstraintSolver"},
    {DV_RENAME_CLASS_REMOVED, NULL, "LMConstraintSolver", LM_CONSTRAINTS},
    {DV_RENAME_CLASS_REMOVED, NULL, "LMConstraintDirectSolver", LM_CONSTRAINTS},
    {DV_RENAME_CLASS_REMOVED, NULL, "FixedLMConstraint", LM_CONSTRAINTS " and FixedLagrangianConstraint"},
    {DV_RENAME_CLASS_REMOVED, NULL, "DOFBlockerLMConstraint", LM_CONSTRAINTS " and FixedLagrangianConstraint"},
    {DV_RENAME_CLASS_REMOVED, NULL, "DistanceLMConstraint",
     LM_CONSTRAINTS ", and a DistanceMapping with a UniformLagrangianConstraint"},
    {DV_RENAME_FIELD, "NNCGConstraintSolver", "newtonIterations", "maxIterations"},
    {DV_RENAME_FIELD_HARMLESS, "BlockGaussSeidelConstraintSolver", "newtonIterations",
     "NNCGConstraintSolver had it, and calls it maxIterations"},
    {DV_RENAME_FIELD_HARMLESS, "ConstraintSolver", "reverseAccumulateOrder",
     "constraints are in the order of the scene"},
    {DV_RENAME_FIELD_HARMLESS, "UnbuiltGaussSeidelConstraintSolver", "multithreading", "there is nothing to build"},
    {DV_RENAME_FIELD_HARMLESS, "LCPConstraintSolver", "multi_grid", NO_MULTIGRID},
    {DV_RENAME_FIELD_HARMLESS, "LCPConstraintSolver", "multi_grid_levels", NO_MULTIGRID},
    {DV_RENAME_FIELD_HARMLESS, "LCPConstraintSolver", "merge_method", NO_MULTIGRID},
    {DV_RENAME_FIELD_HARMLESS, "LCPConstraintSolver", "merge_spatial_step", NO_MULTIGRID},
    {DV_RENAME_FIELD_HARMLESS, "LCPConstraintSolver", "merge_local_levels", NO_MULTIGRID},
    {DV_RENAME_FIELD_HARMLESS, "LCPConstraintSolver", "showLevels", NO_MULTIGRID},
    {DV_RENAME_FIELD_HARMLESS, "LCPConstraintSolver", "showLevelTranslation", NO_MULTIGRID},
    {DV_RENAME_FIELD_HARMLESS, "PCGLinearSolver", "update_step",
     "set assemblingRate of its PreconditionedMatrixFreeSystem"},
    {DV_RENAME_FIELD_HARMLESS, "PCGLinearSolver", "build_precond",
     "set assemblingRate of its PreconditionedMatrixFreeSystem"},
    {DV_RENAME_FIELD_HARMLESS, "BilateralLagrangianConstraint", "numericalTolerance",
     "the tolerance is that of the constraint solver"},
    {DV_RENAME_FIELD_HARMLESS, "SparseLDLSolver", "savingMatrixToFile", "matrices are not written to files"},
    {DV_RENAME_FIELD_HARMLESS, "StaticSolver", "should_diverge_when_residual_is_growing",
     "NewtonRaphsonSolver tells when a solve does not converge"},
    {DV_RENAME_FIELD_HARMLESS, "JacobiPreconditioner", "verbose", "set printLog"},
    {DV_RENAME_FIELD_HARMLESS, "BlockJacobiPreconditioner", "verbose", "set printLog"},
    {DV_RENAME_FIELD_HARMLESS, "SSORPreconditioner", "verbose", "set printLog"},
    {DV_RENAME_FIELD_HARMLESS, "MinResLinearSolver", "verbose", "set printLog"},
    {DV_RENAME_FIELD_HARMLESS, "PrecomputedLinearSolver", "verbose", "set printLog"},
    {DV_RENAME_FIELD_HARMLESS, "BTDLinearSolver", "blockSize", "blocks are of six unknowns"},
    {DV_RENAME_FIELD_HARMLESS, "WarpPreconditioner", "update_step", "set assemblingRate of its RotationMatrixSystem"},
    {DV_RENAME_FIELD_HARMLESS, "WarpPreconditioner", "useRotationFinder",
     "set rotationFinder of its RotationMatrixSystem"},
    {DV_RENAME_FIELD_HARMLESS, "WarpPreconditioner", "solverName", "set linearSolver"},
    {DV_RENAME_FIELD_HARMLESS, "VariationalSymplecticSolver", "verbose", "set printLog"},
    {DV_RENAME_MODULE, NULL, "SofaBaseLinearSolver", NULL},
    {DV_RENAME_MODULE, NULL, "SofaExplicitOdeSolver", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralExplicitOdeSolver", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralLinearSolver", NULL},
    {DV_RENAME_MODULE, NULL, "SofaGeneralImplicitOdeSolver", NULL},
    {DV_RENAME_MODULE, NULL, "SofaImplicitOdeSolver", NULL},
    {DV_RENAME_MODULE, NULL, "SofaMiscSolver", NULL},
    {DV_RENAME_MODULE, NULL, "SofaPreconditioner", NULL},
    {DV_RENAME_MODULE, NULL, "SofaSparseSolver", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.AnimationLoop", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.Constraint.Lagrangian.Model", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.LinearSolver", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.LinearSolver.Direct", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.LinearSolver.Iterative", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.LinearSolver.Ordering", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.LinearSolver.Preconditioner", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.LinearSystem", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.ODESolver", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.ODESolver.Backward", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Component.ODESolver.Forward", NULL},
    {DV_RENAME_MODULE, NULL, "Sofa.Simulation.Core", NULL},
    {0},
};

/* Kinds of matrices and of values, by the names that scenes use. */
static const char *const variants[] = {
    "BTDMatrix6d",
    "BlockDiagonalMatrixMat3x3d",
    "CompressedRowSparseMatrix",
    "CompressedRowSparseMatrixMat2x2d",
    "CompressedRowSparseMatrixMat3x3d",
    "CompressedRowSparseMatrixMat4x4d",
    "CompressedRowSparseMatrixMat6x6d",
    "CompressedRowSparseMatrixMat8x8d",
    "CompressedRowSparseMatrixd",
    "DiagonalMatrix",
    "FullMatrix",
    "FullVector",
    "GraphScattered",
    "ParallelCompressedRowSparseMatrixMat3x3d",
    "ParallelCompressedRowSparseMatrixd",
    "RotationMatrixd",
    "SparseMatrix",
    "bool",
    "d",
    "f",
    "vector<I>",
    "vector<Vec2d>",
    "vector<Vec2f>",
    "vector<Vec3d>",
    "vector<Vec3f>",
    "vector<d>",
    "vector<f>",
    "vector<i>",
    NULL,
};

static const DvContract offers[] = {
    {.id = DV_NATURAL_MODES, .ops = &dv_natural_modes}, {.id = DV_PROBLEM_WORDS, .ops = &problem_words_ops}, {0}};

DV_PLUGIN = {
    .size = sizeof(DvPlugin),
    .abi = DV_ABI_STAMP,
    .id = "divan.solvers",
    .version = DV_VERSION,
    .license = "LGPL-2.1-or-later",
    .help = "Time integration, linear solvers and animation loops.",
    .needs = (const char *const[]){DV_MECHANICAL_OPERATIONS, NULL},
    .classes = classes,
    .variants = variants,
    .renames = renames,
    .offers = offers,
};
