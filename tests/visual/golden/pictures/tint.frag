// SPDX-License-Identifier: LGPL-2.1-or-later
in vec3 dv_world;
in vec2 dv_uv;
uniform float f1;
uniform vec2 f2;
uniform vec3 f3;
uniform vec4 f4;
uniform int i1;
uniform ivec2 i2;
uniform ivec3 i3;
uniform ivec4 i4;
uniform float fv1[3];
uniform vec2 fv2[2];
uniform vec3 fv3[2];
uniform vec4 fv4[1];
uniform int iv1[2];
uniform ivec2 iv2[1];
uniform ivec3 iv3[1];
uniform ivec4 iv4[1];
uniform mat2 m2;
uniform mat3 m3;
uniform mat4 m4;
uniform mat2x3 m23;
uniform mat3x2 m32;
uniform mat2x4 m24;
uniform mat4x2 m42;
uniform mat3x4 m34;
uniform mat4x3 m43;
uniform sampler2D tiles, bytes, again;
uniform samplerCube around;
out vec4 dv_pixel;
void main()
{
    float all = f1 + f2.x + f3.y + f4.z + float(i1 + i2.x + i3.y + i4.z) + fv1[2] + fv2[1].x + fv3[1].y + fv4[0].z +
                float(iv1[1] + iv2[0].x + iv3[0].y + iv4[0].z) + m2[1].x + m3[2].y + m4[3].x + m23[1].z + m32[2].x + m24[1].w +
                m42[3].x + m34[2].w + m43[3].z;
    dv_pixel = texture(tiles, dv_uv) * 0.5 + texture(bytes, dv_uv) + texture(again, dv_uv) + texture(around, dv_world) + 0.001 * all;
    dv_pixel.a = 1.0;
}
