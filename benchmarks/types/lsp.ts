import { pathToFileURL } from 'node:url'
import type { EditorProtocol, EditorService } from './editor-protocol.ts'
import { readMessages } from './framing.ts'

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly result?: unknown
  readonly params?: { readonly items?: readonly unknown[] }
  readonly error?: { readonly message: string }
}

/** The Language Server Protocol, which TypeScript 7 uses. */
export function lsp(service: EditorService): EditorProtocol {
  const waiting = new Map<number | string, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let last = 0
  let version = 1
  const write = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    service.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const ask = <T>(method: string, params: unknown): Promise<T> => {
    const id = ++last
    write({ id, method, params })
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve: resolve as (result: unknown) => void, reject })
    })
  }
  readMessages(service.stdout, (message) => {
    const { id, method, params, result, error } = message as Message
    if (id === undefined) return
    // A request from the server: respond with the defaults of an editor without settings.
    if (method !== undefined) write({ id, result: params?.items?.map(() => null) ?? null })
    else if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(error.message))
  })
  const document = (path: string): { uri: string } => ({ uri: pathToFileURL(path).href })
  return {
    start: async (folder) => {
      const rootUri = pathToFileURL(folder).href
      const capabilities = { textDocument: { completion: {}, diagnostic: {} }, workspace: {} }
      await ask('initialize', { processId: process.pid, rootUri, capabilities })
      write({ method: 'initialized', params: {} })
    },
    open: ({ path, text }) => {
      const textDocument = { ...document(path), languageId: 'typescript', version: version++, text }
      write({ method: 'textDocument/didOpen', params: { textDocument } })
    },
    change: ({ path }, after) => {
      const textDocument = { ...document(path), version: version++ }
      write({ method: 'textDocument/didChange', params: { textDocument, contentChanges: [{ text: after }] } })
    },
    complete: async (path, position) => {
      const list = await ask<{ items: { label: string }[] }>('textDocument/completion', {
        textDocument: document(path),
        position,
        context: { triggerKind: 1 },
      })
      return list.items.map(({ label }) => label)
    },
    diagnose: async (path) => {
      const report = await ask<{ items: { message: string }[] }>('textDocument/diagnostic', {
        textDocument: document(path),
      })
      return report.items.map(({ message }) => message)
    },
  }
}
