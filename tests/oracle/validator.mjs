// The Khronos glTF validator. As a program, `node validator.mjs FILE…` prints what it finds and exits 1 on an error.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';

/** Errors and warnings of one file: [{ severity: 'error' | 'warning', code, text }]. */
export async function findings(file) {
  const beside = (uri) => new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri))));
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: async (uri) => beside(uri),
  });
  return report.issues.messages
    .filter((message) => message.severity < 2)
    .map((message) => ({
      severity: message.severity === 0 ? 'error' : 'warning',
      code: message.code,
      text: `${message.code} at ${message.pointer ?? `byte ${message.offset ?? 0}`}: ${message.message}`,
    }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let failed = false;
  for (const file of process.argv.slice(2)) {
    for (const { severity, text } of await findings(file)) {
      console.log(`${file}: ${severity} ${text}`);
      failed ||= severity === 'error';
    }
  }
  process.exit(failed ? 1 : 0);
}
