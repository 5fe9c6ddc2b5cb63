import type { EngineKv } from '../engine/engine-kv.ts'

/** What a client's session id says. */
export interface SessionClaim {
  readonly secret: string
  /** Is its signature right? Then one of our processes wrote it. */
  readonly hasValidSignature: boolean
  /** The process that the client spoke with last. */
  readonly node: string
}

/** Writes and reads the ids that clients resume their sessions with. */
export interface SessionIds {
  /** The name of this process, as ids tell it. */
  readonly node: string
  /** A new secret. */
  create(): string
  /** The id for the client: the secret, this process, and our signature for this user. */
  sign(secret: string, owner: string | null): Promise<string>
  /** Null where the text is no such id. */
  read(sid: string, owner: string | null): Promise<SessionClaim | null>
  /** The stream that a process hears: nobody can guess its name, or clients who choose their rooms might hear it. */
  streamOf(node: string): Promise<string>
  /** What everybody may know of a session: always the same for a secret at its place, and of no use to guess it. */
  toPublic(secret: string, path: string, owner: string | null): Promise<string>
}

/** A key of the platform; the name of its type is not the same on all of them. */
type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const SIGNING_KEY = 'sdk:socket:key'

/** Ids that all processes of an engine can read: they share a key through it. */
export function createSessionIds(kv: EngineKv): SessionIds {
  const node = randomToken(6)
  let key: Promise<SigningKey> | undefined
  const signature = async (text: string, owner: string | null): Promise<string> => {
    key ??= readSigningKey(kv)
    // Where the engine does not answer, the next one tries again.
    key.catch(() => (key = undefined))
    return toBase64Url(await crypto.subtle.sign('HMAC', await key, encodeUtf8(JSON.stringify([text, owner]))))
  }
  return {
    node,
    create: () => randomToken(16),
    async sign(secret, owner) {
      const text = `${secret}.${node}`
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

/** The first process makes the key, all others find it. */
async function readSigningKey(kv: EngineKv): Promise<SigningKey> {
  const made = randomToken(32)
  const isMade = await kv.compareAndSet(SIGNING_KEY, { from: null, to: made })
  const text = isMade ? made : ((await kv.get(SIGNING_KEY)) ?? made)
  return crypto.subtle.importKey('raw', encodeUtf8(text), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

/** Compares in constant time. */
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
