import { add, h } from '../../base/dom';

type Piece = Node | string | number;

/** A formula in text: letters slanted, capitals bold, _ below, ^ above, braces for more than one sign. */
export function formula(source: string): HTMLElement {
    const out = h('span', { class: 'formula' });
    let at = 0;
    const group = (): string => {
        if (source[at] !== '{') return source[at++] ?? '';
        const end = source.indexOf('}', at);
        const inside = source.slice(at + 1, end);
        at = end + 1;
        return inside;
    };
    while (at < source.length) {
        const sign = source[at]!;
        if (sign === '_' || sign === '^') {
            ++at;
            add(out, h(sign === '_' ? 'sub' : 'sup', {}, ...letters(group())));
        } else {
            const next = source.slice(at + 1).search(/[_^]/);
            const piece = next < 0 ? source.slice(at) : source.slice(at, at + 1 + next);
            add(out, ...letters(piece));
            at += piece.length;
        }
    }
    return out;
}

function letters(text: string): (Node | string)[] {
    return (text.match(/[A-ZΔḠ]|[a-zα-ω]+|[^A-ZΔḠa-zα-ω]+/gu) ?? []).map((part) => {
        if (/^[A-ZΔḠ]/u.test(part)) return h('b', {}, part);
        if (/^(sin|cos|min|slerp|max|exp)$/.test(part)) return part;
        return /^[a-zα-ω]/u.test(part) ? h('i', {}, part) : part;
    });
}

/** Text with *stress*, `names` and $formulas$. */
export function pieces(text: string): (Node | string)[] {
    return text.split(/(\*[^*]+\*|`[^`]+`|\$[^$]+\$)/).map((part) => {
        if (part.length > 2 && part.startsWith('*')) return h('em', {}, part.slice(1, -1));
        if (part.length > 2 && part.startsWith('`')) return h('code', {}, part.slice(1, -1));
        if (part.length > 2 && part.startsWith('$')) return formula(part.slice(1, -1));
        return part;
    });
}

/** A sentence in which numbers may live: say`It is ${node} long.` */
export function words(strings: TemplateStringsArray, ...between: Piece[]): (Node | string)[] {
    return strings.flatMap((text, k) => {
        const piece = between[k];
        return [...pieces(text.replace(/\s+/g, ' ')), ...(piece === undefined ? [] : [typeof piece === 'number' ? `${piece}` : piece])];
    });
}

export function say(strings: TemplateStringsArray, ...between: Piece[]): HTMLParagraphElement {
    return h('p', {}, ...words(strings, ...between));
}

/** A formula that stands alone. */
export function display(...parts: Piece[]): HTMLElement {
    return h('div', { class: 'display' }, ...parts.map((part) => (part instanceof Node ? part : formula(`${part}`))));
}

/** Numbers as people write them: a true minus, no -0. */
export function fixed(x: number, digits = 2): string {
    const text = x.toFixed(digits);
    return (Number(text) === 0 ? text.replace('-', '') : text).replace('-', '−');
}

export const degrees = (rad: number): number => (rad * 180) / Math.PI;
export const radians = (deg: number): number => (deg * Math.PI) / 180;
