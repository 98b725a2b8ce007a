// Paints figures: each is four corners (`tessellate.rs`), in order.

#ifdef SRGB_OUTPUT
#import bevy_render::color_operations::linear_to_srgb
#endif
#ifdef OKLAB_OUTPUT
#import bevy_render::color_operations::linear_rgb_to_oklab
#endif

struct Placement {
    clip_from_figure: mat4x4<f32>,
    // Where figures are seen, in pixels of the screen: left, top, right, bottom.
    seen_px: vec4<f32>,
    // The size of a pixel of the screen, in those that figures count.
    pixel: f32,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> placement: Placement;

// Room for the soft edge of a disc or a segment.
const SOFT_EDGE_PX: f32 = 1.0;

struct Vertex {
    // Where the corner is, and how far that is from the middle of a disc or a segment; zero for a triangle.
    @location(0) at_and_from_middle: vec4<f32>,
    // Bytes of sRGB, and the opacity.
    @location(1) ink: vec4<f32>,
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) color: vec4<f32>,
    // From the middle of a disc or a segment, and the radius or half the width.
    @location(1) from_middle: vec2<f32>,
    @location(2) @interpolate(flat) radius: f32,
}

// IEC 61966-2-1
fn linear(srgb: vec3<f32>) -> vec3<f32> {
    return select(pow((srgb + 0.055) / 1.055, vec3(2.4)), srgb / 12.92, srgb <= vec3(0.04045));
}

@vertex
fn vertex(in: Vertex) -> Corner {
    let from_middle = in.at_and_from_middle.zw;
    // A segment has the distance across it alone. A disc is in a square, whose corners have coordinates of the same size, or
    // in a triangle with corners at twice its reach, which has none of the others' coordinates.
    let size = abs(from_middle);
    let is_square_or_segment = size.x == size.y || size.y == 0.0;
    let reach = select(length(from_middle) / 2.0, size.x, is_square_or_segment);
    // A triangle is inside of a disc everywhere.
    let radius = select(reach - SOFT_EDGE_PX, 1e6, reach == 0.0);
    let position = placement.clip_from_figure * vec4(in.at_and_from_middle.xy, 0.0, 1.0);
    return Corner(position, vec4(linear(in.ink.rgb), in.ink.a), from_middle, radius);
}

@fragment
fn fragment(in: Corner) -> @location(0) vec4<f32> {
    var color = in.color;
    color.a *= clamp((in.radius - length(in.from_middle)) / placement.pixel + 0.5, 0.0, 1.0);
    let is_seen = all(in.position.xy >= placement.seen_px.xy) && all(in.position.xy <= placement.seen_px.zw);
    color.a = select(0.0, color.a, is_seen);
#ifdef SRGB_OUTPUT
    color = vec4(linear_to_srgb(color.rgb), color.a);
#endif
#ifdef OKLAB_OUTPUT
    color = vec4(linear_rgb_to_oklab(color.rgb), color.a);
#endif
    return color;
}
