import { resolveFolder } from '../node/recording-files.ts'
import { createAsyncStorage } from '../platform/async-storage.ts'
import { isRemote } from '../platform/is-remote.ts'
import { ModelFolder } from './model-folder.ts'
import { findSecrets, toModelRequest, toResponse } from './model-recording.ts'

/** The recorded calls of models that an app under test uses. */
export interface RecordedModels {
  /**
   * Waits for calls that are being recorded. Returns the files that no call has used. Rejects if a call had no recording
   * or could not be recorded.
   */
  close(): Promise<readonly string[]>
}

/** The folders in use. Apps with the same folder share it. */
const opened = new Map<string, { readonly models: ModelFolder; users: number }>()
/** Set while a call is sent, in case another function has replaced and called `fetch`. */
const sending = createAsyncStorage<true>()
let restoreFetch = (): void => {}

/** Reads the recordings in a folder. Until they are closed, `fetch` responds with them, or records them. */
export function openModels(path: string): RecordedModels {
  const folder = resolveFolder(path)
  const own = opened.get(folder) ?? { models: new ModelFolder(folder, shouldRecord()), users: 0 }
  if (opened.size === 0) restoreFetch = replaceFetch()
  opened.set(folder, own)
  own.users++
  const close = async (): Promise<readonly string[]> => {
    if (--own.users > 0) return []
    opened.delete(folder)
    if (opened.size === 0) restoreFetch()
    return own.models.close()
  }
  let closed: Promise<readonly string[]> | null = null
  return { close: () => (closed ??= close()) }
}

function shouldRecord(): boolean {
  const mode = process.env['MODELS'] ?? 'replay'
  if (mode !== 'record' && mode !== 'replay')
    throw new TypeError(`MODELS must be "record" or "replay", got ${JSON.stringify(mode)}`)
  if (mode === 'record' && !/^(?:|0|false)$/.test(process.env['CI'] ?? ''))
    throw new TypeError('MODELS cannot be "record" if CI is set: record on your machine, and commit the files')
  return mode === 'record'
}

function replaceFetch(): () => void {
  const original = globalThis.fetch
  const replacement: typeof fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (opened.size === 0 || sending.getStore() === true || !isRemote(url)) return original(input, init)
    const request = new Request(input, init)
    return respond(request, async () => sending.run(true, () => original(request)))
  }
  globalThis.fetch = replacement
  return () => {
    if (globalThis.fetch === replacement) globalThis.fetch = original
  }
}

async function respond(request: Request, send: () => Promise<Response>): Promise<Response> {
  const secrets = findSecrets(request)
  const call = await toModelRequest(request.clone(), secrets)
  const folders = Array.from(opened.values(), ({ models }) => models)
  const models = folders.find((one) => one.has(call)) ?? folders.at(-1)
  if (models === undefined) return send() // closed in the meantime
  if (!models.isRecording) return toResponse(models.replay(call), request.signal)
  if (folders.length > 1)
    throw new Error(`calls of models cannot be recorded into ${folders.length} folders at a time: run one test file`)
  return models.record(call, send, secrets)
}
