/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Field tables in C++17, which has no designated initialisers (C++20 has: DV_FIELD and DV_LINK work there as in C).
 *
 *   static const DvField fields[] = {
 *       DV_CXX_FIELD(Well, stiffness, "stiffness", dv_type_double).init("1").unit("N/m").help("force per distance"),
 *       DV_CXX_LINK(Well, mstate, "mstate", DV_STATE).help("the state it acts on"),
 *       {},
 *   };
 *
 * Everything is a constant expression: the table is data, as in C. The other structs of a plugin are filled by name in a
 * lambda that is called at once:
 *
 *   static constexpr DvForceFieldOps ops = [] { DvForceFieldOps o{}; o.size = sizeof o; o.add_force = add_force; return o; }();
 *
 * Exceptions must not leave a function that the kernel calls.
 */
#ifndef DIVAN_CXX_H
#define DIVAN_CXX_H

#include <divan/data.h>

#ifdef __cplusplus
namespace divan
{

/* clang-format off */
/* A DvField being described: each function gives a copy with one member more.     [any] */
class Field {
  public:
    constexpr Field(const char *name, const DvType *type, size_t offset, const char *target = nullptr)
    {
        field.name = name, field.type = type, field.offset = offset, field.target = target;
    }
    constexpr operator DvField() const { return field; }

    constexpr Field many() const { return with(&DvField::many, true); }
    constexpr Field init(const char *text) const { return with(&DvField::init, text); }
    constexpr Field unit(const char *text) const { return with(&DvField::unit, text); }
    constexpr Field choices(const char *const *words) const { return with(&DvField::choices, words); }
    constexpr Field flags(uint32_t sum) const { return with(&DvField::flags, sum); }
    constexpr Field group(const char *text) const { return with(&DvField::group, text); }
    constexpr Field help(const char *text) const { return with(&DvField::help, text); }
    constexpr Field aliases(const char *const *names) const { return with(&DvField::aliases, names); }
    constexpr Field range(const DvRange *numbers) const { return with(&DvField::range, numbers); }

  private:
    DvField field{};

    template <class Value> constexpr Field with(Value DvField::*member, Value value) const
    {
        Field f = *this;
        f.field.*member = value;
        return f;
    }
};
/* clang-format on */

} // namespace divan

#define DV_CXX_FIELD(Struct, member, name, type) divan::Field(name, &(type), DV_OFFSET_OF_DATA(Struct, member))
#define DV_CXX_FIELD_HELD(name, type)            divan::Field(name, &(type), DV_HELD)
#define DV_CXX_LINK(Struct, member, name, contract) \
    divan::Field(name, &dv_type_link, DV_OFFSET_OF_LINK(Struct, member), contract)
#endif

#endif
