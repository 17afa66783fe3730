// SPDX-License-Identifier: LGPL-2.1-or-later
uniform vec3 first[2];
uniform sampler2D grey;
out vec4 dv_pixel;
void main()
{
#if third
    dv_pixel = vec4(first[1] / 8.0, 1.0) * texture(grey, vec2(0.5));
#else
    dv_pixel = vec4(first[0], 1.0);
#endif
}
