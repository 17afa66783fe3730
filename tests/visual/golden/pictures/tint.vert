// SPDX-License-Identifier: LGPL-2.1-or-later
in vec3 dv_position;
in vec3 dv_normal;
in vec2 dv_texcoord;
in vec4 dv_color;
in float heat;
in vec3 way;
uniform mat4 dv_view, dv_projection;
out vec3 dv_world, dv_world_normal;
out vec2 dv_uv;
out vec4 dv_vertex_color;
void main()
{
    dv_world = dv_position + LIFT * heat * way;
    dv_world_normal = dv_normal;
    dv_uv = dv_texcoord;
    dv_vertex_color = dv_color;
    gl_Position = dv_projection * dv_view * vec4(dv_world, 1);
}
