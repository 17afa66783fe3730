/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every contract of this folder, for whoever goes through all of them (contracts/required.def).
 */
#ifndef DIVAN_CONTRACTS_ALL_H
#define DIVAN_CONTRACTS_ALL_H

#include <divan/contracts/array_file.h>
#include <divan/contracts/camera.h>
#include <divan/contracts/collision.h>
#include <divan/contracts/cutting.h>
#include <divan/contracts/dense.h>
#include <divan/contracts/drawing.h>
#include <divan/contracts/eigenpairs.h>
#include <divan/contracts/fault_cause.h>
#include <divan/contracts/force_field.h>
#include <divan/contracts/haptic_device.h>
#include <divan/contracts/image.h>
#include <divan/contracts/lagrangian_constraint.h>
#include <divan/contracts/mapping.h>
#include <divan/contracts/mass.h>
#include <divan/contracts/mechanical_operations.h>
#include <divan/contracts/modes.h>
#include <divan/contracts/operator.h>
#include <divan/contracts/picture.h>
#include <divan/contracts/projective_constraint.h>
#include <divan/contracts/renderer.h>
#include <divan/contracts/report.h>
#include <divan/contracts/rotations.h>
#include <divan/contracts/scene_export.h>
#include <divan/contracts/scene_format.h>
#include <divan/contracts/solve_record.h>
#include <divan/contracts/solver.h>
#include <divan/contracts/sparse_direct.h>
#include <divan/contracts/state.h>
#include <divan/contracts/topology.h>
#include <divan/contracts/vector_space.h>
#include <divan/contracts/visual.h>
#include <divan/scene.h>

#endif
