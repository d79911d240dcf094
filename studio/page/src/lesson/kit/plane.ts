import { h } from '../../base/dom';
import type { ColorName } from './color';
import { Handle } from './handle';
import { fixed } from './words';

export type Point = readonly [number, number];

export interface PlaneOptions {
    label: string;
    /** What of the plane is seen. */
    x: [number, number];
    y: [number, number];
    /** Height over width of the picture. */
    aspect: number;
    /** Lines for x and y with numbers at these distances; none: no axes. */
    grid?: [number, number];
    /** One unit is as long both ways: more may be seen than was asked for. */
    equal?: boolean;
}

export interface PointOptions {
    label: string;
    color?: ColorName;
    get: () => Point;
    set: (point: Point) => void;
    /** How far an arrow key moves it. */
    step?: number;
    digits?: number;
}

type Mark = ColorName | `${ColorName} ${string}`;
const svgName = 'http://www.w3.org/2000/svg';

/** A picture of the plane: lines and points in its own units, drawn anew whenever something moved. */
export class Plane {
    readonly element: HTMLElement;
    private readonly svg = document.createElementNS(svgName, 'svg');
    private readonly over = h('div', { class: 'over' });
    private readonly handles: { handle: Handle; options: PointOptions }[] = [];
    private width = 0;
    private height = 0;
    private paint: () => void = () => {};

    constructor(private readonly options: PlaneOptions) {
        this.svg.setAttribute('role', 'img');
        this.svg.setAttribute('aria-label', options.label);
        this.element = h('div', { class: 'plane', style: `aspect-ratio: ${1 / options.aspect}` });
        this.element.append(this.svg, this.over);
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    /** What draws it, from now on. */
    painter(paint: () => void): void {
        this.paint = paint;
    }

    handle(options: PointOptions): Handle {
        const step = options.step ?? 0.1;
        let start: Point = [0, 0];
        const handle = new Handle({
            label: options.label,
            ...(options.color ? { color: options.color } : {}),
            text: () => options.get().map((x) => fixed(x, options.digits ?? 1)).join(', '),
            begin: () => (start = options.get()),
            drag: (dx, dy) => {
                const [x, y] = this.toPixels(start);
                options.set(this.toPlane([x + dx, y + dy]));
            },
            nudge: (right, up) => options.set([start[0] + right * step, start[1] + up * step]),
        });
        this.handles.push({ handle, options });
        this.over.append(handle.element);
        return handle;
    }

    draw(): void {
        const { width, height } = this.element.getBoundingClientRect();
        if (!width) return;
        this.width = width;
        this.height = height;
        this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
        this.svg.replaceChildren();
        if (this.options.grid) this.axes(this.options.grid);
        this.paint();
        for (const { handle, options } of this.handles) handle.position(...this.toPixels(options.get()));
    }

    private get frame(): { left: number; bottom: number; perX: number; perY: number } {
        const { x, y, equal, grid } = this.options;
        const [insetX, insetY] = grid ? [34, 22] : [8, 8];
        let perX = (this.width - insetX - 14) / (x[1] - x[0]), perY = (this.height - insetY - 10) / (y[1] - y[0]);
        if (equal) perX = perY = Math.min(perX, perY);
        const restX = equal ? (this.width - insetX - 14 - perX * (x[1] - x[0])) / 2 : 0;
        const restY = equal ? (this.height - insetY - 10 - perY * (y[1] - y[0])) / 2 : 0;
        return { left: insetX + restX, bottom: this.height - insetY - restY, perX, perY };
    }

    toPixels([px, py]: Point): [number, number] {
        const { left, bottom, perX, perY } = this.frame;
        return [left + (px - this.options.x[0]) * perX, bottom - (py - this.options.y[0]) * perY];
    }

    toPlane([px, py]: Point): Point {
        const { left, bottom, perX, perY } = this.frame;
        return [this.options.x[0] + (px - left) / perX, this.options.y[0] + (bottom - py) / perY];
    }

    private axes([stepX, stepY]: [number, number]): void {
        const { x, y } = this.options;
        for (let at = Math.ceil(x[0] / stepX) * stepX; at <= x[1] + 1e-9; at += stepX) {
            this.line([[at, y[0]], [at, y[1]]], Math.abs(at) < 1e-9 ? 'quiet axis' : 'line thin');
            this.label([at, y[0]], fixed(at, decimals(stepX)), { dy: 16, color: 'quiet', middle: true });
        }
        for (let at = Math.ceil(y[0] / stepY) * stepY; at <= y[1] + 1e-9; at += stepY) {
            this.line([[x[0], at], [x[1], at]], Math.abs(at) < 1e-9 ? 'quiet axis' : 'line thin');
            this.label([x[0], at], fixed(at, decimals(stepY)), { dx: -6, dy: 4, color: 'quiet', end: true });
        }
    }

    private node(tag: string, attributes: Record<string, string | number>, mark: string): SVGElement {
        const node = document.createElementNS(svgName, tag);
        for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, typeof value === 'number' ? value.toFixed(2) : value);
        node.setAttribute('class', mark);
        this.svg.append(node);
        return node;
    }

    line(points: readonly Point[], mark: Mark): void {
        this.node('polyline', { points: points.map((point) => this.toPixels(point).map((x) => x.toFixed(1)).join(',')).join(' ') }, `line ${mark}`);
    }

    area(points: readonly Point[], mark: Mark): void {
        this.node('polygon', { points: points.map((point) => this.toPixels(point).map((x) => x.toFixed(1)).join(',')).join(' ') }, `area ${mark}`);
    }

    dot(at: Point, mark: Mark, radius = 5): void {
        const [cx, cy] = this.toPixels(at);
        this.node('circle', { cx, cy, r: radius }, `dot ${mark}`);
    }

    /** A circle with a radius in the plane's units. */
    ring(at: Point, radius: number, mark: Mark): void {
        const [cx, cy] = this.toPixels(at);
        this.node('circle', { cx, cy, r: radius * this.frame.perX }, `line ${mark}`);
    }

    arrow(from: Point, to: Point, mark: Mark): void {
        const [ax, ay] = this.toPixels(from), [bx, by] = this.toPixels(to);
        const length = Math.hypot(bx - ax, by - ay);
        if (length < 2) return;
        const ux = (bx - ax) / length, uy = (by - ay) / length, head = Math.min(9, length * 0.6);
        this.node('polyline', { points: `${ax},${ay} ${bx - ux * head * 0.6},${by - uy * head * 0.6}` }, `line ${mark}`);
        this.node('polygon', { points: `${bx},${by} ${bx - ux * head - uy * head * 0.45},${by - uy * head + ux * head * 0.45} ${bx - ux * head + uy * head * 0.45},${by - uy * head - ux * head * 0.45}` }, `solid ${mark}`);
    }

    label(at: Point, text: string, { dx = 0, dy = 0, color = 'text' as Mark, middle = false, end = false } = {}): void {
        const [x, y] = this.toPixels(at);
        this.node('text', { x: x + dx, y: y + dy, 'text-anchor': middle ? 'middle' : end ? 'end' : 'start' }, `words ${color}`).textContent = text;
    }

    /** Bones of an arm, from joint to joint. */
    bones(positions: readonly Point[], mark: Mark): void {
        for (let k = 0; k + 1 < positions.length; ++k) {
            const [ax, ay] = this.toPixels(positions[k]!), [bx, by] = this.toPixels(positions[k + 1]!);
            const length = Math.hypot(bx - ax, by - ay) || 1, w = Math.min(9, length * 0.16);
            const ux = (bx - ax) / length, uy = (by - ay) / length, mx = ax + ux * length * 0.16, my = ay + uy * length * 0.16;
            this.node('polygon', { points: `${ax},${ay} ${mx - uy * w},${my + ux * w} ${bx},${by} ${mx + uy * w},${my - ux * w}` }, `limb ${mark}`);
        }
        for (const position of positions.slice(0, -1)) this.dot(position, `${mark.split(' ')[0] as ColorName} joint`, 5);
    }
}

/** How many digits a number of the grid needs. */
function decimals(step: number): number {
    return [0, 1].find((digits) => Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) < 1e-9) ?? 2;
}
