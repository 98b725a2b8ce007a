// The player of a run. The data hold each shape once, and the poses of robots at a constant rate; frames between two
// sampled ones are interpolated. Nothing is loaded from anywhere.
'use strict';

(() => {
  const $ = (id) => document.getElementById(id);

  // ---- Data -----------------------------------------------------------------------------------------------------------

  /** The bytes of a text in base64. */
  function bytesOf(text) {
    const letters = atob(text.trim());
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
    return bytes;
  }

  /** Unpacks DEFLATE (RFC 1951) in browsers without DecompressionStream. */
  function inflate(input) {
    const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
    const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
    const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let at = 0, held = 0, count = 0, out = new Uint8Array(input.length * 4), end = 0;
    const bits = (wanted) => {
      while (count < wanted) {
        if (at >= input.length) throw new Error('the data are cut off');
        held |= input[at++] << count;
        count += 8;
      }
      const found = held & ((1 << wanted) - 1);
      held >>>= wanted;
      count -= wanted;
      return found;
    };
    const reserve = (more) => {
      if (end + more <= out.length) return;
      const larger = new Uint8Array(Math.max(out.length * 2, end + more));
      larger.set(out);
      out = larger;
    };
    // A code: the number of codes of each length, and the symbols in order.
    const codeOf = (lengths) => {
      const counts = new Uint16Array(16), first = new Uint16Array(16), symbols = new Uint16Array(lengths.length);
      for (const length of lengths) counts[length]++;
      counts[0] = 0;
      for (let length = 1; length < 16; length++) first[length] = first[length - 1] + counts[length - 1];
      lengths.forEach((length, symbol) => { if (length) symbols[first[length]++] = symbol; });
      return { counts, symbols };
    };
    const symbol = ({ counts, symbols }) => {
      let code = 0, first = 0, index = 0;
      for (let length = 1; length < 16; length++) {
        code |= bits(1);
        if (code - counts[length] < first) return symbols[index + code - first];
        index += counts[length];
        first = (first + counts[length]) << 1;
        code <<= 1;
      }
      throw new Error('the data are damaged');
    };
    let isLast;
    do {
      isLast = bits(1);
      const kind = bits(2);
      if (kind === 0) {
        held = count = 0;
        const length = input[at] | input[at + 1] << 8;
        at += 4;
        reserve(length);
        out.set(input.subarray(at, at + length), end);
        at += length;
        end += length;
        continue;
      }
      let literals, distances;
      if (kind === 1) {
        literals = codeOf(Array.from({ length: 288 }, (_, place) => place < 144 ? 8 : place < 256 ? 9 : place < 280 ? 7 : 8));
        distances = codeOf(new Array(30).fill(5));
      } else {
        const [literalCount, distanceCount, lengthCount] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
        const own = new Array(19).fill(0);
        for (let place = 0; place < lengthCount; place++) own[ORDER[place]] = bits(3);
        const code = codeOf(own), lengths = [];
        while (lengths.length < literalCount + distanceCount) {
          const found = symbol(code);
          if (found < 16) lengths.push(found);
          else {
            const repeated = found === 16 ? lengths[lengths.length - 1] : 0;
            let times = found === 16 ? 3 + bits(2) : found === 17 ? 3 + bits(3) : 11 + bits(7);
            while (times-- > 0) lengths.push(repeated);
          }
        }
        literals = codeOf(lengths.slice(0, literalCount));
        distances = codeOf(lengths.slice(literalCount));
      }
      for (let found; (found = symbol(literals)) !== 256;) {
        reserve(258);
        if (found < 256) { out[end++] = found; continue; }
        const place = found - 257;
        let length = LENGTHS[place] + (place < 8 || place === 28 ? 0 : bits((place >> 2) - 1));
        const far = symbol(distances);
        const distance = DISTANCES[far] + (far < 4 ? 0 : bits((far >> 1) - 1));
        for (; length > 0; length--, end++) out[end] = out[end - distance];
      }
    } while (!isLast);
    return out.subarray(0, end);
  }

  async function unpacked(bytes) {
    let stream;
    try { stream = new DecompressionStream('deflate-raw'); } catch { return inflate(bytes); }
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  }

  /** The run of unpacked bytes: its description, with the numbers of robots, things and metrics. */
  function readRun(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 4 + view.getUint32(0, true);
    const run = JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)));
    // Seven bits per byte, the sign in the lowest bit. Numbers may need more than 32 bits.
    const number = () => {
      let found = 0, scale = 1, byte;
      do {
        byte = bytes[at++];
        found += (byte & 127) * scale;
        scale *= 128;
      } while (byte & 128);
      return found % 2 ? -(found + 1) / 2 : found / 2;
    };
    const states = (count) => {
      const all = new Uint32Array(count);
      for (let place = 0, last = 0; place < count; place++) all[place] = last += number();
      return all;
    };
    const positions = (count, axis) => {
      const all = new Float32Array(count), origin = run.origin_m[axis], step = run.step_m[axis];
      for (let place = 0, before = 0, last = 0; place < count; place++) {
        const position = number() + 2 * last - before;
        before = last;
        last = position;
        all[place] = origin + position * step;
      }
      return all;
    };
    const headings = (count) => {
      const all = new Float32Array(count);
      for (let place = 0, last = 0; place < count; place++) {
        last = (last + number() + run.turn) % run.turn;
        all[place] = last / run.turn * 2 * Math.PI;
      }
      return all;
    };
    const { robots, things } = run;
    for (const robot of robots) robot.states = states(robot.count);
    for (const robot of robots) robot.x = positions(robot.count, 0);
    for (const robot of robots) robot.y = positions(robot.count, 1);
    for (const robot of robots) robot.heading = headings(robot.count);
    for (const thing of things) {
      if (!thing.moves) continue;
      const count = thing.count = thing.to - thing.from;
      thing.x = positions(count, 0);
      thing.y = positions(count, 1);
      thing.heading = headings(count);
    }
    for (const metric of run.metrics) {
      metric.values = new Float32Array(metric.count);
      for (let place = 0; place < metric.count; place++, at += 4) metric.values[place] = view.getFloat32(at, true);
    }
    let before = [];
    for (const { sketch } of things) {
      if (sketch.kind !== 'cells') continue;
      const own = bytes.slice(at, at += sketch.count);
      if (before.length === own.length) for (let place = 0; place < own.length; place++) own[place] += before[place];
      before = sketch.levels = own;
    }
    run.file.data = bytes.slice(at, at + run.file.bytes);
    return run;
  }

  // ---- Poses ----------------------------------------------------------------------------------------------------------

  /**
   * The pose of a robot or thing at a frame and a part of the way to the next one, or null while it is absent. Across a
   * jump, such as one over a periodic boundary, it stays where it is.
   */
  function poseOf(track, frame, part) {
    const at = frame - track.from;
    if (at < 0 || at >= track.count) return null;
    const { states } = track, state = states ? states[at] : 2;
    if (state < 2) return null;
    let x = track.x[at], y = track.y[at], heading = track.heading[at];
    const next = at + 1;
    if (part > 0 && next < track.count && (!states || (states[next] > 1 && !(states[next] & 1)))) {
      x += (track.x[next] - x) * part;
      y += (track.y[next] - y) * part;
      const turn = track.heading[next] - heading;
      heading += Math.atan2(Math.sin(turn), Math.cos(turn)) * part;
    }
    return { x, y, heading, state };
  }

  /**
   * The frame at a time since the first one, and the part of the way to the next frame. The last frame may follow sooner
   * than the others.
   */
  function frameAt({ first_s, frame_s, frames, last_s }, time) {
    const whole = Math.max(frames - 2, 0), start = whole * frame_s, rest = last_s - first_s - start;
    const exact = frames < 2 ? 0 : time > start && rest > 0 ? whole + (time - start) / rest : time / frame_s;
    const within = Math.min(Math.max(exact, 0), frames - 1);
    // A time that was computed from a frame is that frame.
    const near = Math.round(within), at = Math.abs(within - near) < 1e-6 ? near : within;
    return { frame: Math.floor(at), part: at - Math.floor(at) };
  }

  // ---- Player ---------------------------------------------------------------------------------------------------------

  const [POINT_PX, NOSE_PX, THINNEST_PX, TRAIL_PX] = [1.5, 5, 0.75, 1.5];
  const [TRAILS, AGENTS] = [1, 5];
  // Finished parts of trails are kept as paths of so many frames, as long as they have at most so many points.
  const [PIECE, MOST_POINTS] = [16, 4e6];

  function play(run) {
    const { first_s, frame_s, frames, last_s } = run.time;
    const length_s = Math.max(last_s - first_s, 0), curves_s = Math.max(length_s, 1e-9);
    const isExact = (time, digits) => Math.abs(time * 10 ** digits - Math.round(time * 10 ** digits)) < 1e-6;
    const digits = [1, 2].find((digits) => [frame_s, last_s].every((time) => isExact(time, digits))) ?? 3;
    const seconds = (time) => (first_s + time).toFixed(digits);
    const stage = $('stage'), canvas = $('world'), ctx = canvas.getContext('2d');
    const slider = $('time'), speed = $('speed'), trails = $('trails');
    const state = { time: 0, plays: false };
    const camera = { x: 0, y: 0, zoom: 1, fits: true };
    const size = { width: 1, height: 1, dpr: 1 };
    let colors = [], theme = 0, wanted = false, last = 0;

    const isDark = () => {
      const set = document.documentElement.dataset.theme;
      return set ? set === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    };
    const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const redraw = () => {
      if (wanted) return;
      wanted = true;
      requestAnimationFrame(frame);
    };

    // The camera: the world in metres from the lower left corner of the arena.
    const fit = () => {
      const [width, height] = run.size_m;
      Object.assign(camera, { x: width / 2, y: height / 2, fits: true });
      camera.zoom = Math.min(size.width / width, size.height / height) * 0.92;
      redraw();
    };
    const toScreen = (x, y) => [size.width / 2 + (x - camera.x) * camera.zoom, size.height / 2 - run.up * (y - camera.y) * camera.zoom];
    const zoomAt = (x, y, factor) => {
      const zoom = Math.min(Math.max(camera.zoom * factor, 1e-3), 1e5), kept = 1 / camera.zoom - 1 / zoom;
      camera.x += (x - size.width / 2) * kept;
      camera.y -= run.up * (y - size.height / 2) * kept;
      Object.assign(camera, { zoom, fits: false });
      redraw();
    };

    // ---- Drawing

    for (const body of run.bodies) body.levels = body.levels.map(joined);

    /** The path of a sketch in metres at a zoom; the parts of measures in pixels depend on it. */
    function pathOf(sketch) {
      if (sketch.path && (!sketch.px || sketch.zoom === camera.zoom)) return sketch.path;
      const m = sketch.px ? sketch.m.map((length, place) => length + sketch.px[place] / camera.zoom) : sketch.m;
      const path = new Path2D();
      switch (sketch.kind) {
        case 'disc':
        case 'ring': path.arc(m[0], m[1], Math.max(m[2], 0), 0, 2 * Math.PI); break;
        case 'sector':
          path.moveTo(m[0], m[1]);
          path.arc(m[0], m[1], Math.max(m[2], 0), m[3], m[4]);
          path.closePath();
          break;
        default:
          for (let at = 0; at < m.length; at += 2) {
            if (at === 0) path.moveTo(m[0], m[1]);
            else path.lineTo(m[at], m[at + 1]);
          }
          if (sketch.kind === 'polygon' || sketch.closed) path.closePath();
      }
      if (sketch.joined) path.addPath(pathOf(sketch.joined));
      sketch.path = path;
      sketch.zoom = camera.zoom;
      return path;
    }

    /** Joins neighbouring polygons of one colour into one path: between two smooth edges, the ground would show through. */
    function joined(sketches) {
      return sketches.reduceRight((rest, sketch) => {
        const [next] = rest;
        const areOne = next && [sketch, next].every(({ kind }) => kind === 'polygon') && sketch.color === next.color && sketch.layer === next.layer;
        return areOne ? [{ ...sketch, px: sketch.px || next.px && sketch.m.map(() => 0), joined: next }, ...rest.slice(1)] : [sketch, ...rest];
      }, []);
    }

    /** Draws a sketch in a frame with its origin at (x, y), turned by a heading. */
    function draw(sketch, x, y, heading) {
      const [atX, atY] = toScreen(x, y), scale = camera.zoom * size.dpr;
      if (sketch.kind === 'text') return write(sketch, x, y);
      const cos = Math.cos(heading) * scale, sin = Math.sin(heading) * scale;
      ctx.setTransform(cos, -run.up * sin, -sin, -run.up * cos, atX * size.dpr, atY * size.dpr);
      if (sketch.kind === 'cells') return fillCells(sketch);
      const path = pathOf(sketch);
      if (!sketch.pen) {
        ctx.fillStyle = colors[sketch.color];
        return ctx.fill(path);
      }
      const [width, unit, isDashed] = sketch.pen;
      ctx.lineWidth = Math.max(unit === 'm' ? width : width / camera.zoom, THINNEST_PX / camera.zoom);
      ctx.setLineDash(isDashed ? [6 / camera.zoom, 4 / camera.zoom] : []);
      ctx.strokeStyle = colors[sketch.color];
      ctx.stroke(path);
    }

    function write(sketch, x, y) {
      const [atX, atY] = toScreen(x + sketch.m[0], y + sketch.m[1]), px = sketch.px || [0, 0];
      ctx.setTransform(size.dpr, 0, 0, size.dpr, 0, 0);
      ctx.font = `${sketch.size_px}px system-ui, sans-serif`;
      ctx.textAlign = sketch.anchor;
      ctx.fillStyle = colors[sketch.color];
      ctx.fillText(sketch.text, atX + px[0], atY - run.up * px[1] - 0.19 * sketch.size_px);
    }

    /** The pictures of the fields: each holds the present cells of one field. */
    const fields = [];
    let shownFields = 0;

    /** A field: cells in the colours of their levels, painted into its picture when they change. */
    function fillCells(sketch) {
      const lines = Math.ceil(sketch.count / sketch.columns);
      const field = fields[shownFields++] ??= { picture: document.createElement('canvas') };
      if (field.sketch !== sketch) {
        field.sketch = sketch;
        Object.assign(field.picture, { width: sketch.columns, height: lines });
        const own = field.picture.getContext('2d');
        sketch.levels.forEach((level, place) => {
          if (!level) return;
          own.fillStyle = run.levels[level - 1];
          own.fillRect(place % sketch.columns, Math.floor(place / sketch.columns), 1, 1);
        });
      }
      const [x, y, width, height] = sketch.m;
      ctx.imageSmoothingEnabled = false;
      ctx.globalAlpha = sketch.opacity;
      ctx.drawImage(field.picture, x, y, width * sketch.columns, height * lines);
      ctx.globalAlpha = 1;
    }

    /** Adds the way of a robot from one frame to another one to a path, without its jumps and absences. */
    function addWay(path, robot, from, to) {
      const { x, y, states } = robot, end = Math.min(to - robot.from, robot.count - 1);
      let isOpen = false;
      for (let at = Math.max(from - robot.from, 0); at <= end; at++) {
        const state = states[at];
        if (state < 2) { isOpen = false; continue; }
        if (isOpen && !(state & 1)) path.lineTo(x[at], y[at]);
        else path.moveTo(x[at], y[at]);
        isOpen = true;
      }
    }

    /** The finished pieces of the trails of robots of one colour, by their number; they are kept while these robots stay. */
    const kept = new Map();
    const keepsPieces = run.robots.reduce((points, robot) => points + robot.count, 0) <= MOST_POINTS;
    function piecesOf(shades, robots) {
      const key = shades.join(), known = kept.get(key);
      if (known && known.robots.length === robots.length && known.robots.every((robot, place) => robot === robots[place])) return known.pieces;
      const pieces = [];
      kept.set(key, { robots, pieces });
      return pieces;
    }

    /** Draws the ways of robots from one frame to another one: finished pieces, and what is before and after them. */
    function drawWays(robots, pieces, from, to) {
      const first = Math.ceil(from / PIECE), end = Math.floor(to / PIECE), rest = new Path2D();
      if (!keepsPieces || end <= first) for (const robot of robots) addWay(rest, robot, from, to);
      else {
        for (let piece = first; piece < end; piece++) {
          if (!pieces[piece]) {
            pieces[piece] = new Path2D();
            for (const robot of robots) addWay(pieces[piece], robot, piece * PIECE, (piece + 1) * PIECE);
          }
          ctx.stroke(pieces[piece]);
        }
        for (const robot of robots) {
          addWay(rest, robot, from, first * PIECE);
          addWay(rest, robot, end * PIECE, to);
        }
      }
      return rest;
    }

    /** Trails fade in shades; lines of one colour are drawn together. */
    function drawTrails(frame, part) {
      const set = trails.value, now = frame + part, groups = new Map();
      for (const robot of run.robots) {
        const own_s = set === 'scene' ? run.groups[robot.group]?.trail_s ?? 0 : Number(set);
        const shown = own_s > 0 && poseOf(robot, frame, part);
        if (!shown) continue;
        const shades = run.bodies[(shown.state >> 1) - 1].trail, key = `${own_s} ${shades.join()}`;
        if (!groups.has(key)) groups.set(key, { own_s, shades, robots: [], poses: [] });
        const group = groups.get(key);
        group.robots.push(robot);
        group.poses.push(shown);
      }
      const [x, y] = toScreen(0, 0), scale = camera.zoom * size.dpr;
      ctx.setTransform(scale, 0, 0, -run.up * scale, x * size.dpr, y * size.dpr);
      ctx.setLineDash([]);
      ctx.lineWidth = TRAIL_PX / camera.zoom;
      for (const { own_s, shades, robots, poses } of groups.values()) {
        const long = Math.min(own_s / frame_s, Math.max(frames - 1, 1)), pieces = piecesOf(shades, robots);
        let from = Math.max(Math.ceil(now - long), 0);
        shades.forEach((color, shade) => {
          const isLast = shade === shades.length - 1;
          const to = isLast ? frame : Math.max(Math.min(Math.ceil(now - long * (1 - (shade + 1) / shades.length)), frame), from);
          if (to === from && !isLast) return;
          ctx.strokeStyle = colors[color];
          const rest = drawWays(robots, pieces, from, to);
          if (isLast) {
            robots.forEach((robot, place) => {
              const at = frame - robot.from;
              rest.moveTo(robot.x[at], robot.y[at]);
              rest.lineTo(poses[place].x, poses[place].y);
            });
          }
          ctx.stroke(rest);
          from = to;
        });
      }
    }

    function drawThing(thing, frame, part) {
      if (!thing.moves) return draw(thing.sketch, 0, 0, 0);
      const pose = poseOf(thing, frame, part);
      if (pose) draw(thing.sketch, pose.x, pose.y, pose.heading);
    }

    /** The things of a frame, which are kept until another frame is shown. */
    const present = { frame: -1, things: [] };
    function thingsOf(frame) {
      if (present.frame !== frame) {
        Object.assign(present, { frame, things: run.things.filter((thing) => thing.from <= frame && frame < thing.to) });
      }
      return present.things;
    }

    function drawWorld() {
      const { frame, part } = frameAt(run.time, state.time), things = thingsOf(frame);
      shownFields = 0;
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.fillStyle = css('--ground');
      ctx.fillRect(0, 0, canvas.width, canvas.height);
      ctx.lineJoin = 'round';
      let place = 0;
      const drawTo = (layer) => {
        for (; place < things.length && things[place].sketch.layer <= layer; place++) drawThing(things[place], frame, part);
      };
      drawTo(TRAILS - 1);
      drawTrails(frame, part);
      drawTo(AGENTS);
      const marks = [];
      for (const robot of run.robots) {
        const pose = poseOf(robot, frame, part);
        if (!pose) continue;
        const { radius_m, levels } = run.bodies[(pose.state >> 1) - 1], radius_px = radius_m * camera.zoom;
        for (const sketch of levels[radius_px < POINT_PX ? 0 : radius_px < NOSE_PX ? 1 : 2]) {
          if (sketch.layer === AGENTS) draw(sketch, pose.x, pose.y, pose.heading);
          else marks.push([sketch, pose]);
        }
      }
      for (const [sketch, pose] of marks) draw(sketch, pose.x, pose.y, 0);
      drawTo(99);
    }

    // ---- Plots

    const plots = run.metrics.map((metric) => {
      const figure = document.createElement('figure'), caption = document.createElement('figcaption');
      const [name, value, own] = ['span', 'output', 'canvas'].map((tag) => document.createElement(tag));
      name.textContent = metric.title + (metric.unit ? `, ${metric.unit}` : '');
      name.title = metric.name;
      own.title = 'Click or drag to go to a time';
      own.setAttribute('role', 'img');
      own.setAttribute('aria-label', `${metric.title} over time`);
      figure.className = 'plot';
      if (metric.span) {
        const note = document.createElement('small');
        note.textContent = `min and max of every ${metric.span} steps`;
        name.append(' ', note);
      }
      caption.append(name, value);
      figure.append(caption, own);
      $('plots').append(figure);
      const known = metric.values.filter(Number.isFinite);
      let low = Infinity, high = -Infinity;
      for (const found of known) { low = Math.min(low, found); high = Math.max(high, found); }
      const isFlat = !(high > low), pad = isFlat ? Math.max(Math.abs(high) * 0.1, 0.5) : (high - low) * 0.06;
      const plot = { metric, value, canvas: own, low, high, from: low - pad, to: high + pad, has: known.length > 0 };
      const seekTo = (event) => {
        const box = own.getBoundingClientRect();
        seek((event.clientX - box.left) / box.width * curves_s);
      };
      own.addEventListener('pointerdown', (event) => { own.setPointerCapture(event.pointerId); seekTo(event); });
      own.addEventListener('pointermove', (event) => { if (event.buttons) seekTo(event); });
      return plot;
    });
    $('plots').hidden = plots.length === 0;

    const short = (value) => {
      if (!Number.isFinite(value)) return '–';
      const length = Math.abs(value);
      return length !== 0 && (length < 1e-3 || length >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
    };

    function resized(own) {
      const width = Math.max(Math.round(own.clientWidth * size.dpr), 1), height = Math.max(Math.round(own.clientHeight * size.dpr), 1);
      if (own.width === width && own.height === height) return false;
      Object.assign(own, { width, height });
      return true;
    }

    /** A curve changes with the size and the theme only: it is kept as a picture. */
    function curveOf(plot) {
      const { canvas: own, metric } = plot, key = `${own.width} ${own.height} ${theme}`;
      if (plot.key === key) return plot.curve;
      const curve = document.createElement('canvas'), to = curve.getContext('2d');
      Object.assign(curve, { width: own.width, height: own.height });
      const x = (place) => place * metric.spacing_s / curves_s * curve.width;
      const y = (value) => (plot.to - value) / (plot.to - plot.from) * curve.height;
      to.strokeStyle = css('--accent');
      to.lineWidth = 1.5 * size.dpr;
      to.lineJoin = 'round';
      to.beginPath();
      let isOpen = false;
      metric.values.forEach((value, place) => {
        if (!Number.isFinite(value)) { isOpen = false; return; }
        if (isOpen) to.lineTo(x(place), y(value));
        else to.moveTo(x(place), y(value));
        isOpen = true;
      });
      to.stroke();
      to.fillStyle = css('--dim');
      to.font = `${11 * size.dpr}px system-ui, sans-serif`;
      if (plot.has) {
        to.textBaseline = 'top';
        to.fillText(short(plot.high), 4 * size.dpr, 3 * size.dpr);
        to.textBaseline = 'bottom';
        if (plot.high > plot.low) to.fillText(short(plot.low), 4 * size.dpr, curve.height - 3 * size.dpr);
      }
      return Object.assign(plot, { key, curve }).curve;
    }

    /** The value at a time, or its range where only the ends of spans are kept. */
    function valueAt({ values, count, spacing_s, span }, time) {
      const place = Math.min(Math.round(time / spacing_s), count - 1);
      if (!span) return short(values[place]);
      const first = Math.min(2 * Math.floor(time / (2 * spacing_s)), count - 2), ends = [values[first], values[first + 1]];
      const [low, high] = [Math.min(...ends), Math.max(...ends)].map(short);
      return low === high ? low : `${low} to ${high}`;
    }

    function drawPlots() {
      for (const plot of plots) {
        resized(plot.canvas);
        const own = plot.canvas.getContext('2d'), { width, height } = plot.canvas;
        own.clearRect(0, 0, width, height);
        own.drawImage(curveOf(plot), 0, 0);
        own.fillStyle = css('--text');
        own.fillRect(Math.min(state.time / curves_s * width, width - size.dpr), 0, size.dpr, height);
        plot.value.textContent = valueAt(plot.metric, state.time);
      }
    }

    // ---- Captions and events

    const captions = run.captions.map(([time, text]) => ({ time: time - first_s, text }));
    const events = run.events.map(([time, text, kind, robot]) => ({ time: time - first_s, text: robot ? `${robot}: ${text}` : text, kind }));
    function drawMarks() {
      const own = $('marks');
      if (!resized(own) && own.theme === theme) return;
      own.theme = theme;
      const to = own.getContext('2d');
      to.clearRect(0, 0, own.width, own.height);
      const tick = (time, color, width) => {
        to.fillStyle = color;
        to.fillRect(time / Math.max(length_s, 1e-9) * own.width - width / 2, 0, width, own.height);
      };
      for (const event of events) tick(event.time, css('--dim'), size.dpr);
      for (const caption of captions) tick(caption.time, css('--accent'), 3 * size.dpr);
    }

    function showCaption() {
      const shown_s = 3 * Math.max(Number(speed.value), 1);
      const now = captions.filter(({ time }) => time <= state.time + 1e-9 && state.time < time + shown_s);
      $('caption').hidden = now.length === 0;
      const text = now.slice(-3).map((caption) => caption.text).join('\n');
      if ($('caption').textContent !== text) $('caption').textContent = text;
    }

    function list(title, all, leftOut) {
      if (all.length === 0 && !leftOut) return;
      const details = document.createElement('details'), summary = document.createElement('summary');
      summary.textContent = `${title} (${all.length}${leftOut ? `, ${leftOut} more left out` : ''})`;
      const items = document.createElement('ol');
      details.open = title === 'Changes';
      for (const { time, text } of all) {
        const item = document.createElement('li'), button = document.createElement('button'), when = document.createElement('time');
        button.type = 'button';
        when.textContent = `${seconds(time)} s`;
        button.append(when, text);
        button.addEventListener('click', () => seek(time));
        item.append(button);
        items.append(item);
      }
      details.append(summary, items);
      $('events').append(details);
      $('events').hidden = false;
    }
    list('Changes', captions, 0);
    list('Events', events, run.events_left_out);

    // ---- Time

    function frame(now) {
      wanted = false;
      if (state.plays) {
        const passed_s = Math.min((now - last) / 1000, 0.25);
        state.time = Math.min(state.time + passed_s * Number(speed.value), length_s);
        if (state.time >= length_s) setPlaying(false);
      }
      last = now;
      drawWorld();
      drawPlots();
      drawMarks();
      showCaption();
      slider.value = state.time;
      slider.setAttribute('aria-valuetext', `${seconds(state.time)} s`);
      $('clock').textContent = `${seconds(state.time)} / ${seconds(length_s)} s`;
      if (state.plays) redraw();
    }
    function setPlaying(plays) {
      if (plays && !state.plays && state.time >= length_s) state.time = 0;
      state.plays = plays;
      $('play').textContent = plays ? 'Pause' : 'Play';
      last = performance.now();
      redraw();
    }
    function seek(time) {
      setPlaying(false);
      state.time = Math.min(Math.max(time, 0), length_s);
      redraw();
    }

    // ---- Controls

    slider.max = Math.max(length_s, 1e-9);
    slider.addEventListener('input', () => seek(Number(slider.value)));
    $('play').addEventListener('click', () => setPlaying(!state.plays));
    $('fit').addEventListener('click', fit);
    for (const [id, factor] of [['in', 1.25], ['out', 0.8]]) {
      $(id).addEventListener('click', () => zoomAt(size.width / 2, size.height / 2, factor));
    }
    speed.addEventListener('change', redraw);
    trails.addEventListener('change', redraw);
    const setTheme = () => {
      theme = isDark() ? 0 : 1;
      colors = run.colors.map((pair) => pair[theme]);
      for (const swatch of document.querySelectorAll('#legend i')) swatch.style.background = colors[swatch.dataset.color];
      redraw();
    };
    $('theme').addEventListener('click', () => {
      document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
      setTheme();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', setTheme);

    const keys = {
      ' ': () => setPlaying(!state.plays),
      ArrowLeft: (event) => seek(state.time - (event.shiftKey ? 1 : frame_s)),
      ArrowRight: (event) => seek(state.time + (event.shiftKey ? 1 : frame_s)),
      Home: () => seek(0),
      End: () => seek(length_s),
      '+': () => zoomAt(size.width / 2, size.height / 2, 1.25),
      '-': () => zoomAt(size.width / 2, size.height / 2, 0.8),
      0: fit,
      t: () => $('theme').click(),
    };
    addEventListener('keydown', (event) => {
      const own = event.target.closest?.('select, a, button, summary');
      const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      // A focused button or list keeps its own keys.
      if (own && (event.key === ' ' || (own.tagName === 'SELECT' && !['t', '0'].includes(event.key)))) return;
      event.preventDefault();
      act(event);
    });

    const pointers = new Map();
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const { x, y } = place(event);
      zoomAt(x, y, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
    }, { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!pointers.has(event.pointerId)) return;
      const shape = () => {
        const all = [...pointers.values()].slice(0, 2), second = all[all.length - 1];
        return { x: (all[0].x + second.x) / 2, y: (all[0].y + second.y) / 2, wide: Math.hypot(all[0].x - second.x, all[0].y - second.y) };
      };
      const before = shape();
      pointers.set(event.pointerId, place(event));
      const after = shape();
      camera.x -= (after.x - before.x) / camera.zoom;
      camera.y += run.up * (after.y - before.y) / camera.zoom;
      camera.fits = false;
      if (before.wide > 0 && after.wide > 0) zoomAt(after.x, after.y, after.wide / before.wide);
      redraw();
    });
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
    canvas.addEventListener('dblclick', fit);

    // ---- Texts

    const swatches = run.groups.filter((group) => group.count && group.color !== null).map((group) => [group.color, `${group.name} (${group.count})`]);
    for (const [color, text] of run.legend.length ? run.legend : swatches) {
      const item = document.createElement('li'), swatch = document.createElement('i');
      swatch.dataset.color = color;
      item.append(swatch, text);
      $('legend').append(item);
    }
    const spawned = run.robots.length === 1 ? '1 robot' : `${run.robots.length} robots`;
    $('facts').textContent = `${run.program} · seed ${run.seed} · ${spawned} · ${run.steps} steps · hash of the last state ${run.hash}`;
    const link = $('file');
    link.download = run.file.name;
    link.hidden = run.file.bytes === 0;
    let letters = '';
    for (let at = 0; at < run.file.data.length; at += 0x8000) letters += String.fromCharCode(...run.file.data.subarray(at, at + 0x8000));
    link.href = `data:application/octet-stream;base64,${btoa(letters)}`;
    $('copy').addEventListener('click', async () => {
      const text = $('command').textContent;
      try { await navigator.clipboard.writeText(text); } catch {
        // In a frame or a file, the page may not write: it selects the text and copies the selection.
        getSelection().selectAllChildren($('command'));
        document.execCommand('copy');
      }
      $('copy').textContent = 'Copied';
      setTimeout(() => { $('copy').textContent = 'Copy'; }, 1500);
    });

    $('player').hidden = false;
    new ResizeObserver(() => {
      size.dpr = devicePixelRatio || 1;
      Object.assign(size, { width: Math.max(stage.clientWidth, 1), height: Math.max(stage.clientHeight, 1) });
      resized(canvas);
      if (camera.fits) fit();
      redraw();
    }).observe(stage);
    setTheme();
    // `#t=12.5` opens the page at a simulated time; else it plays, unless the reader prefers less motion.
    const moment = /[#&]t=([\d.]+)/.exec(location.hash);
    if (moment) seek(Number(moment[1]) - first_s);
    else if (!matchMedia('(prefers-reduced-motion: reduce)').matches) setPlaying(true);
  }

  const fail = (error) => {
    $('problem').hidden = false;
    $('problem').textContent = `The run cannot be shown: ${error.message}`;
  };
  if (typeof module !== 'undefined') module.exports = { inflate, readRun, poseOf, frameAt };
  else unpacked(bytesOf($('data').textContent)).then(readRun).then(play).catch(fail);
})();
