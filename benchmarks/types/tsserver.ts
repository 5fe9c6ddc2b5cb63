import type { EditorProtocol, EditorService } from './editor-protocol.ts'
import { readMessages } from './framing.ts'

interface Response {
  readonly type: string
  readonly request_seq: number
  readonly success: boolean
  readonly message?: string
  readonly body?: unknown
}

/** The protocol of TypeScript's editor service up to 5.9 and 6.0. */
export function tsserver(service: EditorService): EditorProtocol {
  const waiting = new Map<number, { resolve: (body: unknown) => void; reject: (error: Error) => void }>()
  let seq = 0
  readMessages(service.stdout, (message) => {
    const { type, request_seq: id, success, body, message: reason } = message as Response
    if (type !== 'response') return
    if (success) waiting.get(id)?.resolve(body)
    else waiting.get(id)?.reject(new Error(reason))
    waiting.delete(id)
  })
  const send = (command: string, args: unknown): number => {
    service.stdin.write(`${JSON.stringify({ seq: ++seq, type: 'request', command, arguments: args })}\n`)
    return seq
  }
  const ask = <T>(command: string, args: unknown): Promise<T> => {
    const id = send(command, args)
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (body: unknown) => void, reject })
    })
  }
  return {
    start: async () => {
      await ask('configure', { hostInfo: 'benchmark', preferences: {} })
    },
    open: ({ path, text }) => send('open', { file: path, fileContent: text, scriptKindName: 'TS' }),
    change: (before, after) => {
      const lines = before.text.split('\n')
      const end = { line: lines.length, offset: (lines.at(-1)?.length ?? 0) + 1 }
      const textChanges = [{ start: { line: 1, offset: 1 }, end, newText: after }]
      send('updateOpen', { changedFiles: [{ fileName: before.path, textChanges }] })
    },
    complete: async (file, { line, character }) => {
      const args = { file, line: line + 1, offset: character + 1, triggerKind: 1 }
      const info = await ask<{ entries: { name: string }[] }>('completionInfo', args)
      return info.entries.map(({ name }) => name)
    },
    diagnose: async (file) => {
      const all = await ask<{ text: string }[]>('semanticDiagnosticsSync', { file })
      return all.map(({ text }) => text)
    },
  }
}
