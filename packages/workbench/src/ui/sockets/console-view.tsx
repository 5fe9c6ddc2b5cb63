import X from 'lucide-react/icons/x'
import { useState, useSyncExternalStore, type ReactNode, useEffect } from 'react'
import {
  useChosenIdentity,
  type Identity,
  signInAs,
  createIdentitySource,
  createIdentityStore,
  identitySource,
} from '../data/identity.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { Composer } from './composer.tsx'
import { type ConsoleClient, type ConsoleMode, createConsoleClient } from './console-client.ts'
import { ConsoleStatus } from './console-status.tsx'
import { FramePanel } from './frame-panel.tsx'
import { useAPI } from '@sdk/react'
import { identityName } from '../frame/identity-name.ts'
import { showToast } from '../components/toast.ts'

interface ConsoleViewProps {
  readonly label: string
  readonly target: Pick<ConsoleTarget, 'path' | 'params' | 'query'>
  readonly schema?: JsonSchema | undefined
  readonly onRemove?: () => void
}

/** A client that is connected to a socket: its identity, its state, its frames, and a field for sending messages. */
export function ConsoleView({ label, target, schema, onRemove }: ConsoleViewProps): ReactNode {
  const [mode, setMode] = useState<ConsoleMode>('sdk.v1')
  const [who, setWho] = useState<Identity | 'header'>('header')
  const chosen = useChosenIdentity()
  const hasToken = mode === 'sdk.v1' && (who === 'header' ? chosen : who).kind === 'user'
  const { client, reconnect } = useConsoleClient({ ...target, mode, who })
  return (
    <section className="console" aria-label={label}>
      <header className="console-bar">
        <h2>{label}</h2>
        <IdentitySelect label={`${label} connects as`} value={who} onChange={setWho} isDisabled={mode === 'raw'} />
        <select
          aria-label={`Mode of ${label}`}
          value={mode}
          onChange={(event) => setMode(event.target.value as ConsoleMode)}
        >
          <option value="sdk.v1">sdk.v1</option>
          <option value="raw">raw JSON</option>
        </select>
        {onRemove !== undefined && (
          <button type="button" className="button icon small" aria-label={`Remove ${label}`} onClick={onRemove}>
            <X size={14} aria-hidden="true" />
          </button>
        )}
      </header>
      {client !== null && (
        <Connected
          client={client}
          mode={mode}
          path={target.path}
          schema={schema}
          hasToken={hasToken}
          reconnect={reconnect}
        />
      )}
    </section>
  )
}

interface ConnectedProps {
  readonly client: ConsoleClient
  readonly mode: ConsoleMode
  readonly path: string
  readonly schema: JsonSchema | undefined
  readonly hasToken: boolean
  readonly reconnect: () => void
}

function Connected({ client, mode, path, schema, hasToken, reconnect }: ConnectedProps): ReactNode {
  const state = useSyncExternalStore(client.state.subscribe, client.state.get)
  return (
    <>
      <WireButtons wire={client.wire} isOver={state.isOver} connect={reconnect} disconnect={client.close} />
      <ConsoleStatus state={state} wire={client.wire} mode={mode} hasToken={hasToken} />
      <FramePanel client={client} />
      <Composer
        path={path}
        schema={schema}
        isJsonOnly={mode === 'sdk.v1'}
        isOver={state.isOver}
        error={state.error}
        send={(text) => client.send(text)}
      />
    </>
  )
}

interface WireButtonsProps {
  readonly wire: ConsoleClient['wire']
  readonly isOver: boolean
  readonly connect: () => void
  readonly disconnect: () => void
}

const DELAYS = [0, 100, 500, 2000, 8000]

/** Buttons that disrupt the connection, to test how a client reacts. */
function WireButtons({ wire, isOver, connect, disconnect }: WireButtonsProps): ReactNode {
  const { isPaused, isDown, delayMs } = useSyncExternalStore(wire.state.subscribe, wire.state.get)
  return (
    <div className="wire-buttons" role="group" aria-label="Connection">
      <button
        type="button"
        className="button small"
        title="Cut the connection: frames in transit are lost"
        disabled={isOver}
        onClick={wire.drop}
      >
        Drop
      </button>
      <button
        type="button"
        className="button small"
        aria-pressed={isDown}
        title="Cut the connection, and block new connections"
        onClick={() => wire.setDown(!isDown)}
      >
        Go offline
      </button>
      <button
        type="button"
        className="button small"
        aria-pressed={isPaused}
        title="Stop reading: frames from the server are delivered once you resume"
        onClick={() => wire.pause(!isPaused)}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <label className="slow" data-on={delayMs > 0}>
        Slow
        <select value={delayMs} onChange={(event) => wire.slow(Number(event.target.value))}>
          {DELAYS.map((ms) => (
            <option key={ms} value={ms}>
              {ms === 0 ? 'off' : `${ms < 1000 ? `${ms} ms` : `${ms / 1000} s`} each way`}
            </option>
          ))}
        </select>
      </label>
      <button type="button" className="button small connect" onClick={isOver ? connect : disconnect}>
        {isOver ? 'Connect' : 'Disconnect'}
      </button>
    </div>
  )
}

interface IdentitySelectProps {
  readonly label: string
  readonly value: Identity | 'header'
  readonly onChange: (next: Identity | 'header') => void
  readonly isDisabled: boolean
}

/** Selects a client's identity: the one in the header, anonymous, or any user. */
function IdentitySelect({ label, value, onChange, isDisabled }: IdentitySelectProps): ReactNode {
  const chosen = useChosenIdentity()
  const { data } = useAPI('GET /_workbench/api/users', { query: {} })

  function choose(next: string): void {
    if (next === 'header') onChange('header')
    else if (next === 'anonymous') onChange({ kind: 'anonymous' })
    else signInAs(next).then(onChange, (error) => showToast(`Cannot connect as this user: ${String(error)}`, 'bad'))
  }

  return (
    <select
      aria-label={label}
      disabled={isDisabled}
      value={value === 'header' ? 'header' : value.kind === 'user' ? value.user.id : value.kind}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="header">Header: {identityName(chosen)}</option>
      <option value="anonymous">Anonymous</option>
      {data?.users.map(({ id, name, email }) => (
        <option key={id} value={id}>
          {name || email}
        </option>
      ))}
    </select>
  )
}

/** A socket, and the mode and identity with which a client connects to it. */
interface ConsoleTarget {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly mode: ConsoleMode
  /** The identity, or `header` to follow the identity chosen in the header. */
  readonly who: Identity | 'header'
}

/** Returns the client for a target. It is null at first, and is replaced whenever the target or user changes. */
function useConsoleClient(target: ConsoleTarget): { client: ConsoleClient | null; reconnect: () => void } {
  const chosen = useChosenIdentity()
  const { who } = target
  const [client, setClient] = useState<ConsoleClient | null>(null)
  const [round, setRound] = useState(0)
  // Based on the user's id, since a new token for the same user does not require a new client.
  const key = JSON.stringify({ ...target, who: identityKey(who === 'header' ? chosen : who), isOwn: who !== 'header' })
  useEffect(() => {
    const auth = who === 'header' ? identitySource : createIdentitySource(createIdentityStore({ start: who }))
    const made = createConsoleClient({ ...(JSON.parse(key) as ConsoleTarget), auth })
    setClient(made)
    return () => made.close()
    // oxlint-disable-next-line react/exhaustive-deps -- the key identifies the user
  }, [key, round])
  return { client, reconnect: () => setRound(round + 1) }
}

function identityKey(who: Identity): string {
  return who.kind === 'user' ? who.user.id : who.kind
}
