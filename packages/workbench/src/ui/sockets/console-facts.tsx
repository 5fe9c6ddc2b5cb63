import { toReadyState, type SocketStatus } from '@sdk/frontend'
import { useSyncExternalStore, type ReactNode } from 'react'
import { Pill, type Tone } from '../parts/pill.tsx'
import { explainClose } from './close-codes.ts'
import type { ConsoleState, Mode } from './console-client.ts'
import type { Wire } from './wire.ts'

const TONES: Readonly<Record<SocketStatus, Tone>> = {
  idle: 'quiet',
  connecting: 'busy',
  open: 'good',
  reconnecting: 'busy',
  offline: 'warn',
  closed: 'quiet',
  failed: 'bad',
}

interface ConsoleFactsProps {
  readonly state: ConsoleState
  readonly wire: Wire
  readonly mode: Mode
  readonly hasToken: boolean
}

/** How a client stands, in one line. */
export function ConsoleFacts({ state, wire, mode, hasToken }: ConsoleFactsProps): ReactNode {
  const { attempts } = useSyncExternalStore(wire.state.subscribe, wire.state.get)
  const held = useHeld(wire)
  const { status, pending, gaps, lastClose, error } = state
  return (
    <div className="console-facts">
      <Pill tone={TONES[status]}>{status}</Pill>
      <Fact name="readyState" value={toReadyState(status)} />
      {mode === 'sdk.v1' && <Fact name="pending" value={pending} />}
      <Fact name="on the wire" value={held} />
      <Fact name="attempts" value={attempts} />
      {mode === 'sdk.v1' && <Fact name="gaps" value={gaps} />}
      {lastClose !== null && <LastClose code={lastClose.code} hasSdk={mode === 'sdk.v1'} />}
      {error !== null && (
        <span className="fault">
          {error.code}: {error.message}
        </span>
      )}
      {!hasToken && <span>no token, but a browser sends its cookies with every socket</span>}
    </div>
  )
}

function Fact({ name, value }: { name: string; value: number }): ReactNode {
  return (
    <span className="fact">
      {name} <b>{value}</b>
    </span>
  )
}

function LastClose({ code, hasSdk }: { code: number; hasSdk: boolean }): ReactNode {
  const { meaning, next } = explainClose(code)
  return (
    <span className="fact">
      last close <b>{code}</b> {meaning}
      {hasSdk && `; ${next}`}
    </span>
  )
}

/** How often the number of held frames is read, as the wire has no event for it. */
const LOOK_MS = 250

function useHeld(wire: Wire): number {
  return useSyncExternalStore(watch, wire.held)
}

function watch(listener: () => void): () => void {
  const timer = setInterval(listener, LOOK_MS)
  return () => clearInterval(timer)
}
