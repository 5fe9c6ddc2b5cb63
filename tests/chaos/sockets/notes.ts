import { existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Handled } from './judge.ts'

/** The notes of consecutive server processes. A written line survives a kill. */
export interface Notes {
  handled(message: Handled): void
  published(n: number): void
}

/** Opens the notes in a folder, to append to them. */
export function openNotes(folder: string): Notes {
  const handled = openSync(join(folder, 'handled'), 'a')
  const published = openSync(join(folder, 'published'), 'a')
  return {
    handled: (message) => void writeSync(handled, `${JSON.stringify(message)}\n`),
    published: (n) => void writeSync(published, `${n}\n`),
  }
}

/** Returns all messages that a handler received, in order. */
export function readHandled(folder: string): Handled[] {
  return readLines(folder, 'handled').map((line) => JSON.parse(line) as Handled)
}

/** Returns the last published number; 0 if there is none. */
export function readLastPublished(folder: string): number {
  return Number(readLines(folder, 'published').at(-1) ?? 0)
}

/** Signals the current process to stop publishing. */
export function endPublishing(folder: string): void {
  writeFileSync(join(folder, 'enough'), '')
}

/** Returns whether publishing should stop. */
export function isEnough(folder: string): boolean {
  return existsSync(join(folder, 'enough'))
}

function readLines(folder: string, name: string): string[] {
  return readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}
