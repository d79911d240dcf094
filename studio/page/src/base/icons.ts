// Drawn on a grid of 16, stroked in the colour of the text.
const paths = {
    body: 'M8 4.2a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2ZM3 6h10M8 6v4M8 10l-2.4 5M8 10l2.4 5',
    bone: 'M5 11 11 5M3.2 9.6a1.7 1.7 0 1 0-.3 3.2 1.7 1.7 0 1 0 3.3-.3M12.8 6.4a1.7 1.7 0 1 0 .3-3.2 1.7 1.7 0 1 0-3.3.3',
    play: 'M5 3l8 5-8 5Z',
    pause: 'M5 3v10M11 3v10',
    brush: 'M13.5 2.5 7 9M6.5 8.5c-2 0-3 1.2-3 3 0 1-.8 1.7-1.5 2 3 .8 6.5.3 6.5-3Z',
    check: 'M2.5 8.5l3.5 3.5 7.5-8',
    save: 'M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
    open: 'M1.5 12.5v-9h4l1.5 2h7.5v7Z',
    undo: 'M3 6.5h7a3.5 3.5 0 0 1 0 7H6M6 3 2.5 6.5 6 10',
    redo: 'M13 6.5H6a3.5 3.5 0 0 0 0 7h4M10 3l3.5 3.5L10 10',
    close: 'M4 4l8 8M12 4l-8 8',
    copy: 'M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3',
    terminal: 'M2 3.5 6 8l-4 4.5M8 12.5h6',
    fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
    first: 'M4 3v10M12 3 6 8l6 5Z',
    last: 'M12 3v10M4 3l6 5-6 5Z',
    loop: 'M3 7a4 4 0 0 1 4-3.5h5M10 1l2.5 2.5L10 6M13 9a4 4 0 0 1-4 3.5H4M6 10l-2.5 2.5L6 15',
    once: 'M2 8h10M8.5 4.5 12 8l-3.5 3.5M14 3v10',
    bounce: 'M2 8h12M5 5 2 8l3 3M11 5l3 3-3 3',
    theme: 'M8 2a6 6 0 1 0 0 12ZM8 2a6 6 0 0 1 0 12',
    grid: 'M2 2h12v12H2ZM2 6h12M2 10h12M6 2v12M10 2v12',
    tag: 'M2 2h6l6 6-6 6-6-6ZM5 5h.01',
    hand: 'M4.5 8.5V4.2a1 1 0 0 1 2 0V8M6.5 7V2.7a1 1 0 0 1 2 0V7M8.5 7V3.7a1 1 0 0 1 2 0V8M10.5 7.5a1 1 0 0 1 2 0V10c0 2.8-1.6 4.5-4 4.5-2.6 0-3.7-1.5-5-4.2-.5-1.2 1-1.8 1.6-.8l.9 1.5',
    ahead: 'M8 13V3M4 7l4-4 4 4',
    left: 'M12.5 13c0-4-2-6.5-8.5-6.5M7.5 3 4 6.5 7.5 10',
    right: 'M3.5 13c0-4 2-6.5 8.5-6.5M8.5 3 12 6.5 8.5 10',
    steer: 'M4.5 4.5h7a3.5 3.5 0 0 1 3.3 4.7l-.8 2.2a1.6 1.6 0 0 1-2.8.3L10 10H6l-1.2 1.7a1.6 1.6 0 0 1-2.8-.3l-.8-2.2a3.5 3.5 0 0 1 3.3-4.7ZM5.5 6v2.5M4.2 7.2h2.6M10.5 6.8h.01M11.7 8h.01',
    twist: 'M6 4l4 4-4 4',
    lock: 'M4 7.5h8v6H4ZM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
    add: 'M8 3v10M3 8h10',
    eye: 'M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
    star: 'M8 1.8l1.9 4 4.3.6-3.1 3 .8 4.3L8 11.6l-3.9 2.1.8-4.3-3.1-3 4.3-.6Z',
    follow: 'M8 1v14M1 8h14M8 1 6 3M8 1l2 2M8 15l-2-2M8 15l2-2M1 8l2-2M1 8l2 2M15 8l-2-2M15 8l-2 2',
};

export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGSVGElement {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    svg.classList.add('icon');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', paths[name]);
    svg.appendChild(path);
    return svg;
}
