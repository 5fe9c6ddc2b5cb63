import { constants } from 'node:fs'
import { access, mkdir, open, readdir, readFile, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Run } from '../run.ts'
import { parseRecords, parseRun } from './records.ts'

/** An append-only file that contains runs. */
export interface Segment {
  readonly path: string
  size: number
  /** Whether the file belongs to another running process. Such files are read but never deleted. */
  readonly isForeign: boolean
}

/** The location of a run: a file and a range of bytes in it. */
export interface RunLocation {
  readonly segment: Segment
  readonly from: number
  readonly bytes: number
}

/** A store's files in a folder, which is created on the first write. Each file contains about `maxSegment` bytes. */
export class SegmentFiles {
  readonly #folder: string
  readonly #maxSegment: () => number
  #file: FileHandle | null = null
  #current: Segment | null = null
  #count = 0

  constructor(folder: string, maxSegment: () => number) {
    this.#folder = folder
    this.#maxSegment = maxSegment
  }

  /** Reads the existing files and their runs, oldest file first. */
  async *load(): AsyncGenerator<ReturnType<typeof parseRecords> & { segment: Segment }> {
    for (const name of await namesIn(this.#folder)) {
      const path = join(this.#folder, name)
      const bytes = await readFile(path).catch(() => Buffer.alloc(0)) // another process may have deleted it
      yield { ...parseRecords(bytes), segment: { path, size: bytes.length, isForeign: isOtherProcess(name) } }
    }
  }

  /** Appends lines and returns the location of each one. */
  async append(lines: readonly Buffer[]): Promise<RunLocation[]> {
    const { segment, handle } = await this.#writable()
    const locations: RunLocation[] = []
    for (const { length } of lines) {
      locations.push({ segment, from: segment.size, bytes: length })
      segment.size += length
    }
    try {
      await handle.appendFile(Buffer.concat(lines))
    } catch (error) {
      await this.close() // a partial line may have been written: it must remain the last line of its file
      // Without this, each attempt on a full disk would leave a file behind.
      if (locations[0]?.from === 0) await this.remove(segment)
      throw error
    }
    return locations
  }

  /** Reads a run, or returns null if it no longer exists. */
  async read({ segment, from, bytes }: RunLocation): Promise<Run | null> {
    try {
      const handle = await open(segment.path, 'r')
      try {
        const { buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, from)
        return parseRun(buffer.toString())
      } finally {
        await handle.close()
      }
    } catch {
      return null // deleted in the meantime
    }
  }

  async remove({ path }: Segment): Promise<void> {
    await unlink(path).catch(() => {}) // another process may have deleted it
  }

  /** Closes the current file if it was deleted. Returns whether it was deleted. */
  async closeDeleted(): Promise<boolean> {
    const isDeleted = this.#file !== null && (await this.#file.stat()).nlink === 0
    if (isDeleted) await this.close()
    return isDeleted
  }

  async exists({ path }: Segment): Promise<boolean> {
    return access(path).then(
      () => true,
      () => false,
    )
  }

  current(): Segment | null {
    return this.#current
  }

  /** Closes the current file. The next run is written to a new file. */
  async close(): Promise<void> {
    const file = this.#file
    this.#file = this.#current = null
    await file?.close()
  }

  async #writable(): Promise<{ segment: Segment; handle: FileHandle }> {
    if (this.#current !== null && this.#current.size >= this.#maxSegment()) await this.close()
    if (this.#current !== null && this.#file !== null) return { segment: this.#current, handle: this.#file }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = join(this.#folder, toSegmentName(this.#count++))
    const handle = await open(path, NEW_FILE, 0o600)
    const segment = { path, size: 0, isForeign: false }
    this.#file = handle
    this.#current = segment
    return { segment, handle }
  }
}

const NEW_FILE = constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

/** Returns a file name that sorts by time and is unique across processes. */
function toSegmentName(count: number): string {
  return `runs-${Date.now().toString(36).padStart(9, '0')}-${count.toString(36).padStart(4, '0')}-${process.pid}.ndjson`
}

const SEGMENT_NAME = /^runs-[0-9a-z]{9}-[0-9a-z]{4,}-(\d+)\.ndjson$/

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => SEGMENT_NAME.test(name)).toSorted()
  } catch {
    return [] // nothing has been recorded yet
  }
}

function isOtherProcess(name: string): boolean {
  const pid = Number(SEGMENT_NAME.exec(name)?.[1])
  if (pid === process.pid) return false // the file is from an earlier process with the same pid
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
