import { readJsonFiles, writeJsonFile } from '../node/recording-files.ts'
import {
  fileNameOf,
  isRecordable,
  keyOf,
  parseRecording,
  toModelRecording,
  toResponse,
  type ModelRecording,
  type ModelRequest,
} from './model-recording.ts'
import { describeNearest, type RecordingFile } from './nearest-recording.ts'

/** A folder of recorded calls. Equal requests get equal responses. */
export class ModelFolder {
  readonly isRecording: boolean
  readonly #path: string
  readonly #files = new Map<string, RecordingFile>()
  readonly #unused = new Set<string>()
  /** The calls that this process has recorded or is recording. A call is null if its response was not recorded. */
  readonly #recorded = new Map<string, Promise<ModelRecording | null>>()
  readonly #failures = new Map<string, unknown>()

  constructor(path: string, isRecording: boolean) {
    this.#path = path
    this.isRecording = isRecording
    for (const { name, text } of readJsonFiles(path)) {
      const recording = parseRecording(text, `${path}/${name}`)
      const key = keyOf(recording)
      const other = this.#files.get(key)?.name
      if (other !== undefined)
        throw new TypeError(`${path}/${name} and ${other} must not record the same call: delete one of them`)
      this.#files.set(key, { name, recording })
      this.#unused.add(name)
    }
  }

  has(call: ModelRequest): boolean {
    return this.#files.has(keyOf(call))
  }

  /** Returns the recording of a call, or throws an error that describes the difference from the nearest one. */
  replay(call: ModelRequest): ModelRecording {
    const file = this.#files.get(keyOf(call))
    if (file === undefined) throw this.#fail(keyOf(call), toMiss(call, this.#path, [...this.#files.values()]))
    this.#unused.delete(file.name)
    return file.recording
  }

  /** Sends a call and records its response. An equal call gets the same response, unless it reads a state by GET. */
  async record(call: ModelRequest, send: () => Promise<Response>, secrets: readonly string[]): Promise<Response> {
    const key = keyOf(call)
    const earlier = call.method === 'GET' ? undefined : this.#recorded.get(key)
    const recording = earlier === undefined ? null : await earlier
    if (recording !== null) return toResponse(recording)
    const sent = send()
    const save = async (): Promise<ModelRecording | null> => {
      const response = await sent
      if (!isRecordable(response)) return null
      return this.#save(await toModelRecording(call, response.clone(), secrets))
    }
    // If the call fails or is cancelled, there is nothing to record.
    this.#recorded.set(
      key,
      save().catch(() => null),
    )
    return sent
  }

  #save(recording: ModelRecording): ModelRecording {
    const name = this.#files.get(keyOf(recording))?.name ?? fileNameOf(recording)
    this.#unused.delete(name)
    try {
      writeJsonFile(this.#path, name, recording)
    } catch (error) {
      this.#fail(name, error)
    }
    return recording
  }

  #fail<T>(key: string, error: T): T {
    this.#failures.set(key, error)
    return error
  }

  /** Waits for calls that are being recorded. Returns the unused files, or throws the first failure. */
  async close(): Promise<readonly string[]> {
    await Promise.all(this.#recorded.values())
    for (const error of this.#failures.values()) throw error
    return [...this.#unused]
  }
}

function toMiss(call: ModelRequest, folder: string, files: readonly RecordingFile[]): Error {
  const nearest = describeNearest(call, files)
  const problem = `${call.method} ${call.host}${call.path} is not recorded in ${folder}`
  const difference = nearest === null ? '' : `${nearest}; `
  return new Error(`${problem}: ${difference}run the test with MODELS=record, and commit the files`)
}
