// Takes the picture of docs/studio.md: node screenshot.mjs [FOLDER-OF-THE-PAGE [OUT.png]], after `./dev studio` has built.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { served } from './served.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const [folder = join(root, 'build/studio'), out = join(root, 'docs/studio.png')] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();
const server = await served(join(root, 'build/limber'), folder);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: 'dark', reducedMotion: 'reduce' });
await page.addInitScript(() => localStorage.setItem('limber picture', 'full'));
const idle = () => page.waitForFunction(() => !window.limber.session.busy.value, null, { timeout: 60000 });

await page.goto(`${server.address}#sample=humanoid:5`);
await page.waitForSelector('html.ready', { state: 'attached', timeout: 60000 });
await page.click('.guide button:text-is("Rig and walk")');
await idle();
await page.click('[role=tab]:has-text("Animate")');
await page.keyboard.press('b');
await page.evaluate(() => window.limber.viewer.player.seekFrame(22));
await page.click('[aria-label="Commands that were run"]');
await page.keyboard.press('f');
await page.mouse.move(500, 300);
await page.waitForTimeout(500);
await page.screenshot({ path: out });
await browser.close();
await server.stop();
