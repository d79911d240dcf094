import type { App } from '../app';
import { choice, iconButton } from '../base/controls';
import { fill, h } from '../base/dom';
import { icon, type IconName } from '../base/icons';
import type { LoopMode } from '../view/player';
import { footContacts } from '../view/contacts';

const modes: [LoopMode, string, IconName][] = [['loop', 'Loop', 'loop'], ['once', 'Once', 'once'], ['bounce', 'There and back', 'bounce']];

function drawRow(canvas: HTMLCanvasElement, down: boolean[]): void {
    canvas.width = down.length;
    canvas.height = 1;
    const context = canvas.getContext('2d')!;
    context.fillStyle = '#4f8fe8';
    down.forEach((touching, frame) => touching && context.fillRect(frame, 0, 1, 1));
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
        fill(feet, ...rows.flatMap(({ name, down }) => {
            const canvas = h('canvas', { role: 'img', 'aria-label': `${name}: on the ground in ${down.filter(Boolean).length} of ${down.length} frames` });
            drawRow(canvas, down);
            return [h('span', {}, name), canvas];
        }));
    }
    return element;
}
