import { h } from '../../base/dom';
import type { Triple } from '../../reports';
import { color, type ColorName } from './color';
import { Handle } from './handle';
import { Painter, type Surface } from './painter';
import { fixed } from './words';

export interface SpaceOptions {
    label: string;
    /** What the camera looks at, and from how far. */
    target: Triple;
    distance: number;
    /** From where, in degrees: 0 is from the front, 90 from its left. */
    yaw?: number;
    pitch?: number;
    /** Height over width of the picture. */
    aspect: number;
    draw: (space: Space) => void;
}

const fieldOfView = (28 * Math.PI) / 180;

/** A picture of a scene that can be turned: surfaces from the GPU, lines and points over them. */
export class Space {
    readonly element: HTMLElement;
    private readonly canvas: HTMLCanvasElement;
    private readonly over = h('div', { class: 'over' });
    private readonly context: CanvasRenderingContext2D;
    private readonly handles: { handle: Handle; get: () => Triple }[] = [];
    private readonly observer: ResizeObserver;
    private yaw: number;
    private pitch: number;
    private width = 0;
    private height = 0;
    private scale = 1;
    private matrix = new Float32Array(16);
    private eye: Triple = [0, 0, 1];
    private scheduled = 0;
    private seen = false;
    private readonly watcher: IntersectionObserver;

    constructor(private readonly options: SpaceOptions) {
        this.yaw = options.yaw ?? 20;
        this.pitch = options.pitch ?? 8;
        this.canvas = h('canvas', { role: 'img', 'aria-label': `${options.label}; drag or use the arrow keys to turn it`, tabIndex: 0 });
        this.element = h('div', { class: 'space', style: `aspect-ratio: ${1 / options.aspect}` }, this.canvas, this.over);
        this.context = this.canvas.getContext('2d')!;
        this.observer = new ResizeObserver(() => this.now());
        this.observer.observe(this.element);
        // What is far below is drawn when it comes near.
        this.watcher = new IntersectionObserver((entries) => {
            this.seen = entries.at(-1)!.isIntersecting;
            if (this.seen) this.draw();
        }, { rootMargin: '150px' });
        this.watcher.observe(this.element);
        this.turnable();
    }

    end(): void {
        this.observer.disconnect();
        this.watcher.disconnect();
        cancelAnimationFrame(this.scheduled);
    }

    private turnable(): void {
        let at: [number, number] | null = null;
        this.canvas.addEventListener('pointerdown', (event) => {
            at = [event.clientX, event.clientY];
            this.canvas.setPointerCapture(event.pointerId);
        });
        this.canvas.addEventListener('pointermove', (event) => {
            if (!at) return;
            this.orbit(0.4 * (at[0] - event.clientX), 0.3 * (event.clientY - at[1]));
            at = [event.clientX, event.clientY];
        });
        for (const end of ['pointerup', 'pointercancel'] as const) this.canvas.addEventListener(end, () => (at = null));
        this.canvas.addEventListener('keydown', (event) => {
            const step = { ArrowLeft: [8, 0], ArrowRight: [-8, 0], ArrowUp: [0, 6], ArrowDown: [0, -6] }[event.key];
            if (!step) return;
            event.preventDefault();
            this.orbit(step[0]!, step[1]!);
        });
    }

    /** Looks from there: degrees. */
    from(yaw: number, pitch: number): void {
        this.yaw = yaw;
        this.pitch = pitch;
        // At once: what is moved next is moved as it is seen now.
        if (this.width) this.look();
        this.draw();
    }

    private orbit(yaw: number, pitch: number): void {
        this.from(this.yaw + yaw, Math.max(-15, Math.min(80, this.pitch + pitch)));
    }

    /** Soon: many changes make one picture. */
    draw(): void {
        if (this.scheduled) return;
        this.scheduled = requestAnimationFrame(() => {
            this.scheduled = 0;
            this.now();
        });
    }

    private now(): void {
        const { width, height } = this.element.getBoundingClientRect();
        if (!width || !height || !this.seen) return;
        this.scale = Math.min(2, devicePixelRatio);
        this.width = width;
        this.height = height;
        const [w, h2] = [Math.round(width * this.scale), Math.round(height * this.scale)];
        if (this.canvas.width !== w || this.canvas.height !== h2) Object.assign(this.canvas, { width: w, height: h2 });
        this.look();
        this.context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
        this.context.clearRect(0, 0, width, height);
        this.context.lineCap = this.context.lineJoin = 'round';
        this.options.draw(this);
        for (const { handle, get } of this.handles) {
            const [x, y] = this.toPixels(get());
            handle.position(x, y);
        }
    }

    /** The camera's matrix for this size and angle. */
    private look(): void {
        const { target, distance } = this.options;
        const yaw = (this.yaw * Math.PI) / 180, pitch = (this.pitch * Math.PI) / 180;
        const back: Triple = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
        this.eye = [0, 1, 2].map((k) => target[k]! + distance * back[k]!) as Triple;
        const right: Triple = [Math.cos(yaw), 0, -Math.sin(yaw)];
        const up = cross(back, right);
        const f = 1 / Math.tan(fieldOfView / 2), near = distance / 50, far = distance * 4;
        const rows = [scaled(right, (f * this.height) / this.width), scaled(up, f), scaled(back, (far + near) / (near - far)), scaled(back, -1)];
        const shift = [0, 0, (2 * far * near) / (near - far), 0];
        rows.forEach((row, r) => {
            for (let c = 0; c < 3; ++c) this.matrix[4 * c + r] = row[c]!;
            this.matrix[12 + r] = shift[r]! - dot(row, this.eye);
        });
    }

    /** Where a point is seen, and how far away it is. */
    toPixels([x, y, z]: Triple): [number, number, number] {
        const m = this.matrix;
        const [cx, cy, cw] = [0, 1, 3].map((r) => m[r]! * x + m[4 + r]! * y + m[8 + r]! * z + m[12 + r]!) as Triple;
        return [(0.5 + 0.5 * (cx / cw)) * this.width, (0.5 - 0.5 * (cy / cw)) * this.height, cw];
    }

    /** A point that is moved by so many pixels, as far away as before. */
    moved(point: Triple, dx: number, dy: number): Triple {
        const m = this.matrix, [, , depth] = this.toPixels(point);
        const f = 1 / Math.tan(fieldOfView / 2), per = (2 * depth) / (f * this.height);
        const right: Triple = [m[0]!, m[4]!, m[8]!], up: Triple = [m[1]!, m[5]!, m[9]!];
        const r = Math.hypot(...right), u = Math.hypot(...up);
        return [0, 1, 2].map((k) => point[k]! + (dx * per * right[k]!) / r - (dy * per * up[k]!) / u) as Triple;
    }

    handle(options: { label: string; color?: ColorName; get: () => Triple; set: (to: Triple) => void; end?: () => void; step?: number }): Handle {
        let start: Triple = [0, 0, 0];
        const step = options.step ?? 0.02;
        const handle = new Handle({
            label: options.label,
            ...(options.color ? { color: options.color } : {}),
            ...(options.end ? { end: options.end } : {}),
            text: () => options.get().map((x) => fixed(x)).join(', '),
            begin: () => (start = options.get()),
            drag: (dx, dy) => options.set(this.moved(start, dx, dy)),
            nudge: (right, up) => {
                const [, , depth] = this.toPixels(start);
                const pixels = (step * this.height) / (2 * depth * Math.tan(fieldOfView / 2));
                options.set(this.moved(start, right * pixels, -up * pixels));
            },
        });
        this.handles.push({ handle, get: options.get });
        this.over.append(handle.element);
        return handle;
    }

    /** A click on the picture that is no drag: with the position in pixels. */
    clicked(act: (x: number, y: number) => void): void {
        let from: [number, number] = [0, 0];
        this.canvas.addEventListener('pointerdown', (event) => (from = [event.clientX, event.clientY]));
        this.canvas.addEventListener('pointerup', (event) => {
            if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) return;
            const { left, top } = this.canvas.getBoundingClientRect();
            act(event.clientX - left, event.clientY - top);
        });
    }

    /** The vertex that is seen nearest to a position in pixels; -1: none within 30. */
    vertexAt(positions: Float32Array, normals: Float32Array, x: number, y: number): number {
        let best = -1, least = Infinity;
        for (let v = 0; v < positions.length / 3; ++v) {
            const p: Triple = [positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!];
            if (dot([normals[3 * v]!, normals[3 * v + 1]!, normals[3 * v + 2]!], [this.eye[0] - p[0], this.eye[1] - p[1], this.eye[2] - p[2]]) < 0) continue;
            const [sx, sy, depth] = this.toPixels(p);
            const away = Math.hypot(sx - x, sy - y);
            if (away < 30 && away + 20 * depth < least) [best, least] = [v, away + 20 * depth];
        }
        return best;
    }

    // ------------------------------------------------------------------------------------ drawing

    surfaces(...surfaces: Surface[]): void {
        const painter = Painter.get();
        if (!painter) {
            this.context.fillStyle = color('quiet');
            this.context.fillText('Surfaces need WebGL 2, which this browser does not have.', 12, 20);
            return;
        }
        const [width, height] = [this.canvas.width, this.canvas.height];
        painter.paint(surfaces, { width, height, clipFromScene: this.matrix, eye: this.eye });
        this.context.drawImage(painter.canvas, 0, painter.canvas.height - height, width, height, 0, 0, this.width, this.height);
    }

    /** Another canvas's picture, drawn by the camera's matrix. */
    drawn(draw: (clipFromScene: Float32Array, width: number, height: number) => HTMLCanvasElement): void {
        this.context.drawImage(draw(this.matrix, this.canvas.width, this.canvas.height), 0, 0, this.width, this.height);
    }

    line(points: readonly Triple[], name: ColorName, width = 2, dash: number[] = []): void {
        const { context } = this;
        context.strokeStyle = color(name);
        context.lineWidth = width;
        context.setLineDash(dash);
        context.beginPath();
        points.forEach((point, k) => {
            const [x, y] = this.toPixels(point);
            if (k) context.lineTo(x, y);
            else context.moveTo(x, y);
        });
        context.stroke();
        context.setLineDash([]);
    }

    dot(point: Triple, name: ColorName, radius = 4): void {
        const [x, y] = this.toPixels(point);
        this.context.fillStyle = color(name);
        this.context.strokeStyle = color('panel');
        this.context.lineWidth = 1.5;
        this.context.beginPath();
        this.context.arc(x, y, radius, 0, 2 * Math.PI);
        this.context.fill();
        if (radius > 2) this.context.stroke();
    }

    label(point: Triple, text: string, name: ColorName = 'text', dx = 8, dy = 4): void {
        const [x, y] = this.toPixels(point);
        this.context.font = '13px system-ui, sans-serif';
        this.context.lineWidth = 4;
        this.context.strokeStyle = color('panel');
        this.context.strokeText(text, x + dx, y + dy);
        this.context.fillStyle = color(name);
        this.context.fillText(text, x + dx, y + dy);
    }

    /** Three axes of a frame, a column of the matrix each. */
    frame(m: ArrayLike<number>, length: number): void {
        const origin: Triple = [m[12]!, m[13]!, m[14]!];
        (['b', 'c', 'a'] as const).forEach((name, k) =>
            this.line([origin, [0, 1, 2].map((r) => origin[r]! + length * m[4 * k + r]!) as Triple], name, 2.5));
    }

    /** Bones from every joint to its parent. */
    bones(model: ArrayLike<number>, parents: readonly number[], name: ColorName = 'bone', shown: (joint: number) => boolean = () => true): void {
        const position = (joint: number): Triple => [model[16 * joint + 12]!, model[16 * joint + 13]!, model[16 * joint + 14]!];
        parents.forEach((parent, joint) => {
            if (parent < 0 || !shown(joint) || !shown(parent)) return;
            this.line([position(parent), position(joint)], name, 2);
        });
        parents.forEach((_, joint) => {
            if (shown(joint)) this.dot(position(joint), name, 3);
        });
    }

    /** The ground, with a shadow where something stands. */
    ground(size = 1.5, shadow?: { at: Triple; radius: number }): void {
        for (let k = -3; k <= 3; ++k) {
            const at = (k * size) / 3;
            this.line([[at, 0, -size], [at, 0, size]], 'line', 1);
            this.line([[-size, 0, at], [size, 0, at]], 'line', 1);
        }
        if (!shadow) return;
        const { context } = this, [x, y] = this.toPixels([shadow.at[0], 0, shadow.at[2]]);
        const [rx] = this.toPixels([shadow.at[0] + shadow.radius, 0, shadow.at[2]]), [, fy] = this.toPixels([shadow.at[0], 0, shadow.at[2] + shadow.radius]);
        const w = Math.max(4, Math.abs(rx - x), Math.abs(fy - y)), tilt = Math.max(0.08, Math.sin((this.pitch * Math.PI) / 180));
        context.save();
        context.translate(x, y);
        context.scale(w, w * tilt);
        const dark = context.createRadialGradient(0, 0, 0, 0, 0, 1);
        dark.addColorStop(0, 'rgba(0, 0, 0, .35)');
        dark.addColorStop(1, 'rgba(0, 0, 0, 0)');
        context.fillStyle = dark;
        context.fillRect(-1, -1, 2, 2);
        context.restore();
    }
}

function cross(a: Triple, b: Triple): Triple {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a: Triple, b: Triple): number {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function scaled(a: Triple, by: number): Triple {
    return [a[0] * by, a[1] * by, a[2] * by];
}
