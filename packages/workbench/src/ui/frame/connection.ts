import type { Manifest } from '../../manifest.ts'
import type { Tone } from '../parts/pill.tsx'

/** How the dev server stands, in a word and its colour. */
export interface Connection {
  readonly text: 'Connected' | 'Connecting' | 'Restarting' | 'No answer' | 'Build failed' | 'Link needed'
  readonly tone: Tone
}

interface ConnectionFacts {
  readonly isConnected: boolean
  readonly manifest: Pick<Manifest, 'isReloading' | 'problems'> | undefined
  /** Why the manifest could not be read the last time. */
  readonly error: { readonly status: number } | null
}

/** Does the server not know this browser, as after a start with another link? */
export function isShut(error: ConnectionFacts['error']): boolean {
  return error?.status === 401 || error?.status === 403
}

/** What the header says of the dev server. One that was there a moment ago is taken to come back. */
export function toConnection({ isConnected, manifest, error }: ConnectionFacts): Connection {
  if (isShut(error)) return { text: 'Link needed', tone: 'bad' }
  if (!isConnected && manifest !== undefined && error?.status === 0) return { text: 'No answer', tone: 'bad' }
  if (!isConnected) return { text: manifest === undefined ? 'Connecting' : 'Restarting', tone: 'busy' }
  if (manifest?.isReloading === true) return { text: 'Restarting', tone: 'busy' }
  if (manifest !== undefined && manifest.problems.length > 0) return { text: 'Build failed', tone: 'bad' }
  return { text: 'Connected', tone: 'good' }
}
