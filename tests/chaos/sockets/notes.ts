import { existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Handled } from './judge.ts'

/** What the lives of a server write down, one after the other. A line that is written outlives a kill. */
export interface Notes {
  handled(message: Handled): void
  published(n: number): void
}

/** Opens the notes of a folder, to go on with them. */
export function openNotes(folder: string): Notes {
  const handled = openSync(join(folder, 'handled'), 'a')
  const published = openSync(join(folder, 'published'), 'a')
  return {
    handled: (message) => void writeSync(handled, `${JSON.stringify(message)}\n`),
    published: (n) => void writeSync(published, `${n}\n`),
  }
}

/** All messages that a handler has seen, in order. */
export function readHandled(folder: string): Handled[] {
  return readLines(folder, 'handled').map((line) => JSON.parse(line) as Handled)
}

/** The last number that was published; 0 before the first. */
export function readLastPublished(folder: string): number {
  return Number(readLines(folder, 'published').at(-1) ?? 0)
}

/** Tells the current process that enough was published. */
export function endPublishing(folder: string): void {
  writeFileSync(join(folder, 'enough'), '')
}

/** Was enough published? */
export function isEnough(folder: string): boolean {
  return existsSync(join(folder, 'enough'))
}

function readLines(folder: string, name: string): string[] {
  return readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}
