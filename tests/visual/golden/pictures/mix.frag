// SPDX-License-Identifier: LGPL-2.1-or-later
in vec2 dv_texcoord;
uniform sampler2D first, second;
uniform vec2 pixelSize;
out vec4 dv_pixel;
void main()
{
    dv_pixel = mix(texture(first, dv_texcoord), texture(second, dv_texcoord + pixelSize), 0.5);
}
