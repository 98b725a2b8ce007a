// Paints the panels, in the place of the shader of bevy_egui.
//
// That one converts each pixel from sRGB and back, which takes a GPU in software more time than all else in a frame. Here
// the corners are converted, and pixels are multiplied in linear light. Light blends there as in the world: faint colours
// are not darker than they should be, and letters as dark as the text of the light theme are made as bold as they are where
// values of sRGB blend, which is what fonts are made for.

struct Transform {
    scale: vec2<f32>,
    translation: vec2<f32>,
}

struct Vertex {
    @location(0) position: vec2<f32>,
    @location(1) uv: vec2<f32>,
    // Bytes of sRGB, multiplied by the opacity.
    @location(2) color: vec4<f32>,
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) uv: vec2<f32>,
    // From 0 for black to 1 for white.
    @location(2) lightness: f32,
}

@group(0) @binding(0) var<uniform> transform: Transform;
@group(1) @binding(0) var image_texture: texture_2d<f32>;
@group(1) @binding(1) var image_sampler: sampler;

// IEC 61966-2-1
fn linear(srgb: vec3<f32>) -> vec3<f32> {
    return select(pow((srgb + 0.055) / 1.055, vec3(2.4)), srgb / 12.92, srgb <= vec3(0.04045));
}

@vertex
fn vs_main(in: Vertex) -> Corner {
    let position = in.position * transform.scale + transform.translation;
    let own = min(in.color.rgb / max(in.color.a, 1e-3), vec3(1.0));
    let lightness = dot(own, vec3(0.2126, 0.7152, 0.0722));
    return Corner(vec4(position, 0.0, 1.0), vec4(linear(own) * in.color.a, in.color.a), in.uv, lightness);
}

@fragment
fn fs_main(in: Corner) -> @location(0) vec4<f32> {
    let texel = textureSample(image_texture, image_sampler, in.uv);
    let bold = texel.a * (2.0 - texel.a);
    return in.color * mix(vec4(bold), texel, in.lightness);
}
