import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** A file as an editor has it. */
export interface OpenFile {
  readonly path: string
  readonly text: string
}

/** A position in a file; both numbers start at zero. */
export interface FilePosition {
  readonly line: number
  readonly character: number
}

/** The requests of an editor to its language service. */
export interface EditorProtocol {
  start(folder: string): Promise<void>
  open(file: OpenFile): void
  /** Replaces the text of an open file. */
  change(before: OpenFile, after: string): void
  /** Returns the completions at a position. */
  complete(path: string, position: FilePosition): Promise<string[]>
  /** Returns the messages of all errors in a file. */
  diagnose(path: string): Promise<string[]>
}

/** The child process of a language service. */
export type EditorService = ChildProcessByStdio<Writable, Readable, null>
