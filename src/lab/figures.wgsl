// Paints figures: each is four corners, placed by a few numbers in a buffer (`tessellate.rs`).

#import bevy_sprite::mesh2d_functions as functions

#ifdef SRGB_OUTPUT
#import bevy_render::color_operations::linear_to_srgb
#endif
#ifdef OKLAB_OUTPUT
#import bevy_render::color_operations::linear_rgb_to_oklab
#endif

struct Figure {
    a: vec2<f32>,
    b: vec2<f32>,
    c: vec2<f32>,
    // Red, green and blue as bytes of sRGB, then the form.
    look: u32,
    opacity: f32,
}

const TRIANGLE: u32 = 1u;
const SEGMENT: u32 = 2u;
const DISC: u32 = 3u;

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<storage, read> figures: array<Figure>;
// Where they are seen, in pixels of the screen: left, top, right, bottom.
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var<uniform> seen_px: vec4<f32>;

struct Vertex {
    @builtin(instance_index) instance: u32,
    // The number of the figure, and which of its corners this is.
    @location(0) position: vec3<f32>,
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) color: vec4<f32>,
    // From the middle of a disc, and its radius, in logical pixels.
    @location(1) from_middle: vec2<f32>,
    @location(2) @interpolate(flat) radius: f32,
}

// IEC 61966-2-1
fn linear(srgb: vec3<f32>) -> vec3<f32> {
    return select(pow((srgb + 0.055) / 1.055, vec3(2.4)), srgb / 12.92, srgb <= vec3(0.04045));
}

@vertex
fn vertex(in: Vertex) -> Corner {
    let figure = figures[u32(in.position.x)];
    let corner = u32(in.position.y);
    let form = figure.look >> 24u;
    var out: Corner;
    // What is no disc is inside of one everywhere.
    out.radius = 1.0;
    out.from_middle = vec2(0.0);
    var at: vec2<f32>;
    switch form {
        case TRIANGLE: {
            at = select(select(figure.c, figure.b, corner == 1u), figure.a, corner == 0u);
        }
        case SEGMENT: {
            let along = figure.b - figure.a;
            let side = vec2(-along.y, along.x) / max(length(along), 1e-20) * figure.c.x * 0.5;
            at = select(figure.b, figure.a, corner < 2u) + select(side, -side, (corner & 1u) == 1u);
        }
        case DISC: {
            out.radius = figure.b.x;
            // Room for the soft edge.
            let reach = figure.b.x + 1.0;
            out.from_middle = vec2(select(reach, -reach, corner < 2u), select(reach, -reach, (corner & 1u) == 1u));
            at = figure.a + out.from_middle;
        }
        default: {
            // Room in the buffer for more figures: nowhere.
            out.position = vec4(2.0, 2.0, 2.0, 1.0);
            return out;
        }
    }
    out.color = vec4(linear(unpack4x8unorm(figure.look).rgb), figure.opacity);
    let world_from_local = functions::get_world_from_local(in.instance);
    out.position = functions::mesh2d_position_local_to_clip(world_from_local, vec4(at, 0.0, 1.0));
    return out;
}

@fragment
fn fragment(in: Corner) -> @location(0) vec4<f32> {
    let distance = length(in.from_middle);
    let pixel = max(fwidth(distance), 1e-6);
    if any(in.position.xy < seen_px.xy) || any(in.position.xy > seen_px.zw) {
        discard;
    }
    var color = in.color;
    color.a *= clamp((in.radius - distance) / pixel + 0.5, 0.0, 1.0);
#ifdef SRGB_OUTPUT
    color = vec4(linear_to_srgb(color.rgb), color.a);
#endif
#ifdef OKLAB_OUTPUT
    color = vec4(linear_rgb_to_oklab(color.rgb), color.a);
#endif
    return color;
}
