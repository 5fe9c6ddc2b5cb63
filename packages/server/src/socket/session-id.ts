import type { EngineKv } from '../engine/engine-kv.ts'

/** What a client's session id says. */
export interface SessionClaim {
  readonly secret: string
  /** Is its signature right? Then one of our processes wrote it. */
  readonly isOurs: boolean
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
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const KEY = 'sdk:socket:key'

/** Ids that all processes of an engine can read: they share a key through it. */
export function createSessionIds(kv: EngineKv): SessionIds {
  const node = randomText(6)
  let key: Promise<Key> | undefined
  const signature = async (text: string, owner: string | null): Promise<string> => {
    key ??= readKey(kv)
    // Where the engine does not answer, the next one tries again.
    key.catch(() => (key = undefined))
    return toText(await crypto.subtle.sign('HMAC', await key, encode(JSON.stringify([text, owner]))))
  }
  return {
    node,
    create: () => randomText(16),
    async sign(secret, owner) {
      const text = `${secret}.${node}`
      return `${text}.${await signature(text, owner)}`
    },
    async read(sid, owner) {
      const parts = /^(([\w-]{22})\.([\w-]{1,40}))\.([\w-]{43})$/.exec(sid) ?? []
      const [, text = '', secret = '', from = '', signed = ''] = parts
      if (secret === '') return null
      return { secret, node: from, isOurs: isEqual(signed, await signature(text, owner)) }
    },
    streamOf: async (of) => `sdk:node:${await signature(`node:${of}`, null)}`,
    async toPublic(secret, path, owner) {
      const digest = await crypto.subtle.digest('SHA-256', encode(JSON.stringify([secret, path, owner])))
      return toText(digest.slice(0, 16))
    },
  }
}

/** The first process makes the key, all others find it. */
async function readKey(kv: EngineKv): Promise<Key> {
  const made = randomText(32)
  const isMade = await kv.swap(KEY, { from: null, to: made })
  const text = isMade ? made : ((await kv.get(KEY)) ?? made)
  return crypto.subtle.importKey('raw', encode(text), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

/** Compares in constant time. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}

function randomText(bytes: number): string {
  return toText(crypto.getRandomValues(new Uint8Array(bytes)).buffer)
}

function toText(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
