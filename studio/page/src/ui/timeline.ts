import type { App } from '../app';
import { choice, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import { icon, type IconName } from '../base/icons';
import type { LoopMode } from '../view/player';
import { footContacts, type FootRow } from '../view/contacts';

const modes: [LoopMode, string, IconName][] = [['loop', 'Loop', 'loop'], ['once', 'Once', 'once'], ['bounce', 'There and back', 'bounce']];

// A foot that stands is blue, and red once it slides by so many metres a second.
const stands = [79, 143, 232] as const;
const slides = [217, 72, 60] as const;
const fastSlide = 0.1;

function drawRow(canvas: HTMLCanvasElement, { down, slide }: FootRow): void {
    canvas.width = down.length;
    canvas.height = 1;
    const context = canvas.getContext('2d')!;
    down.forEach((touching, frame) => {
        if (!touching) return;
        const share = Math.min(1, slide[frame]! / fastSlide);
        context.fillStyle = `rgb(${stands.map((value, k) => Math.round(value + share * (slides[k]! - value))).join()})`;
        context.fillRect(frame, 0, 1, 1);
    });
}

/** Play, scrub and see where in the clip the character is. */
export function timeline({ viewer }: App): HTMLElement {
    const { player } = viewer;
    const play = iconButton('play', 'Play (space)', () => player.play(!player.playing), 'square');
    const scrub = h('input', { type: 'range', min: '0', max: '1', step: '1', value: '0', 'aria-label': 'Frame' });
    scrub.addEventListener('input', () => {
        player.play(false);
        player.seekFrame(Number(scrub.value));
    });
    const readout = h('div', { class: 'readout' });
    const speed = choice([0.1, 0.25, 0.5, 1, 1.5, 2, 4].map((s) => [`${s}`, `${s}×`]), '1', (value) => (player.speed = Number(value)));
    speed.setAttribute('aria-label', 'Speed');
    const mode = iconButton('loop', 'Loop', () => {
        const next = (modes.findIndex(([name]) => name === player.mode) + 1) % modes.length;
        const [name, label, picture] = modes[next]!;
        player.mode = name;
        mode.title = label;
        mode.setAttribute('aria-label', label);
        fill(mode, icon(picture));
    });
    const feet = h('div', { class: 'feet', hidden: true });
    const element = h('section', { class: 'timeline', 'aria-label': 'Timeline', hidden: true },
        h('div', { class: 'row' },
            iconButton('first', 'First frame (Home)', () => player.seek(0)), play, iconButton('last', 'Last frame (End)', () => player.seek(player.duration)),
            h('div', { class: 'scrub' }, scrub), readout, mode, speed),
        feet);
    let shown: unknown = null;
    let playing: boolean | null = null;
    player.changed.watch(() => {
        element.hidden = player.clip === null;
        if (!player.clip) {
            shown = null;
            return;
        }
        if (shown !== player.clip) {
            shown = player.clip;
            scrub.max = `${player.frames}`;
            showFeet();
        }
        scrub.value = `${player.frame}`;
        scrub.setAttribute('aria-valuetext', `frame ${player.frame} of ${player.frames}`);
        scrub.style.setProperty('--at', `${(100 * player.frame) / player.frames}%`);
        fill(readout, h('div', { title: 'Frame' }, `${player.frame}`, h('span', {}, ` / ${player.frames}`)),
            h('div', { title: 'Seconds', class: 'optional' }, player.time.toFixed(2), h('span', {}, ` / ${player.duration.toFixed(2)} s`)));
        if (playing === player.playing) return;
        playing = player.playing;
        fill(play, icon(playing ? 'pause' : 'play'));
        play.setAttribute('aria-label', playing ? 'Pause (space)' : 'Play (space)');
    });
    function showFeet(): void {
        const character = viewer.character.value;
        const rows = character && player.clip ? footContacts(character, player.clip, player.frames, player.fps) : [];
        feet.hidden = rows.length === 0;
        fill(feet, ...rows.flatMap((row) => {
            const { name, down } = row, standing = row.slide.filter((_, frame) => down[frame]);
            const much = standing.length ? `slides ${(100 * (standing.reduce((sum, speed) => sum + speed, 0) / standing.length)).toFixed(1)} cm/s` : 'never stands';
            const canvas = h('canvas', { role: 'img', 'aria-label': `${name}: on the ground in ${standing.length} of ${down.length} frames, ${much}` });
            drawRow(canvas, row);
            return [h('span', {}, name), canvas, h('span', { class: 'much', title: 'While it stands, in the mean' }, much)];
        }));
    }
    return element;
}
