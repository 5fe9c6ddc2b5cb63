import type { EngineKv } from '../engine/engine-kv.ts'

/** The content of a client's session id. */
export interface SessionClaim {
  readonly secret: string
  /** Whether the signature is valid, which proves that the id was created by a process that uses the same engine. */
  readonly hasValidSignature: boolean
  /** The process that the client was last connected to. */
  readonly node: string
}

/** Functions that create and parse the ids with which clients resume their sessions. */
export interface SessionIds {
  /** The name of this process in session ids. */
  readonly node: string
  /** Creates a secret. */
  create(): string
  /** Returns the client's session id, which contains the secret, this process's name and a signature for the user. */
  sign(secret: string, owner: string | null): Promise<string>
  /** Parses a session id. Resolves with null if the string is not a session id. */
  read(sid: string, owner: string | null): Promise<SessionClaim | null>
  /** Returns the name of a process's stream. It cannot be guessed, so clients cannot join the stream as a room. */
  streamOf(node: string): Promise<string>
  /** Returns a session's public id. It depends only on the secret, path and user, and does not reveal the secret. */
  toPublic(secret: string, path: string, owner: string | null): Promise<string>
}

/** A `CryptoKey`. The type has different names on different platforms. */
type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const SIGNING_KEY = 'sdk:socket:key'

/** Creates the `SessionIds` of a process. Processes with the same engine share a key, so each can verify all ids. */
export function createSessionIds(kv: EngineKv): SessionIds {
  let name = ''
  // Created on first use: some platforms provide no randomness before the first request.
  const getNode = (): string => (name ||= randomToken(6))
  let key: Promise<SigningKey> | undefined
  const signature = async (text: string, owner: string | null): Promise<string> => {
    key ??= readSigningKey(kv)
    // If the engine is unavailable, the next call tries again.
    key.catch(() => (key = undefined))
    return toBase64Url(await crypto.subtle.sign('HMAC', await key, encodeUtf8(JSON.stringify([text, owner]))))
  }
  return {
    get node() {
      return getNode()
    },
    create: () => randomToken(16),
    async sign(secret, owner) {
      const text = `${secret}.${getNode()}`
      return `${text}.${await signature(text, owner)}`
    },
    async read(sid, owner) {
      const parts = /^(([\w-]{22})\.([\w-]{1,40}))\.([\w-]{43})$/.exec(sid) ?? []
      const [, text = '', secret = '', from = '', signed = ''] = parts
      if (secret === '') return null
      return { secret, node: from, hasValidSignature: isEqualInConstantTime(signed, await signature(text, owner)) }
    },
    streamOf: async (of) => `sdk:node:${await signature(`node:${of}`, null)}`,
    async toPublic(secret, path, owner) {
      const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(JSON.stringify([secret, path, owner])))
      return toBase64Url(digest.slice(0, 16))
    },
  }
}

/** Reads the signing key. The first process creates it. */
async function readSigningKey(kv: EngineKv): Promise<SigningKey> {
  const made = randomToken(32)
  const isMade = await kv.compareAndSet(SIGNING_KEY, { from: null, to: made })
  const text = isMade ? made : ((await kv.get(SIGNING_KEY)) ?? made)
  return crypto.subtle.importKey('raw', encodeUtf8(text), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

function isEqualInConstantTime(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}

function randomToken(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)).buffer)
}

function toBase64Url(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
