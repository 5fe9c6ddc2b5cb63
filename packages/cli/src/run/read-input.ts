import { fstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { Failure } from '../failure.ts'

/** The possible sources of a call's input. */
export interface InputSource {
  /** The argument: JSON, `@file`, or `-` for standard input. */
  readonly argument: string | undefined
  readonly cwd: string
  /** @default process.stdin */
  readonly stdin?: NodeJS.ReadableStream & { readonly fd?: number }
}

/** Returns the input for a call as JSON text, or `undefined` if there is no input. */
export async function readInput({ argument, cwd, stdin = process.stdin }: InputSource): Promise<string | undefined> {
  if (argument === undefined && !isPiped(stdin.fd ?? -1)) return undefined
  if (argument === undefined || argument === '-') {
    const text = await readAll(stdin)
    return text.trim() === '' ? undefined : normalizeJson(text)
  }
  return normalizeJson(argument.startsWith('@') ? readInputFile(resolve(cwd, argument.slice(1))) : argument)
}

/** Returns whether standard input is a pipe or a file. A parent process might never close other kinds of streams. */
function isPiped(fd: number): boolean {
  try {
    const stat = fstatSync(fd)
    return stat.isFIFO() || stat.isFile()
  } catch {
    return false // there is no standard input
  }
}

function readInputFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(`cannot read the input file ${file}: ${cause instanceof Error ? cause.message : ''}`, {
      code: 'INVALID_INPUT',
      fix: 'put a file path after @, for example sdk run summarize @input.json',
      cause,
    })
  }
}

function normalizeJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch (cause) {
    throw new Failure(`the input is not valid JSON: ${cause instanceof Error ? cause.message : ''}`, {
      code: 'INVALID_INPUT',
      fix: `quote it for the shell: sdk run summarize '{"text":"…"}', or put it in a file: sdk run summarize @input.json`,
      cause,
    })
  }
}
