import type { Manifest } from '../../manifest.ts'
import type { Tone } from '../parts/pill.tsx'

/** How the dev server stands, in a word and its colour. */
export interface Connection {
  readonly text: 'Connected' | 'Connecting' | 'Restarting' | 'Build failed'
  readonly tone: Tone
}

interface ConnectionFacts {
  readonly isConnected: boolean
  readonly manifest: Pick<Manifest, 'isReloading' | 'problems'> | undefined
}

/** What the header says of the dev server. A server that was there and is not now is taken to come back. */
export function toConnection({ isConnected, manifest }: ConnectionFacts): Connection {
  if (!isConnected) return { text: manifest === undefined ? 'Connecting' : 'Restarting', tone: 'busy' }
  if (manifest?.isReloading === true) return { text: 'Restarting', tone: 'busy' }
  if (manifest !== undefined && manifest.problems.length > 0) return { text: 'Build failed', tone: 'bad' }
  return { text: 'Connected', tone: 'good' }
}
