import X from 'lucide-react/icons/x'
import { useState, useSyncExternalStore, type ReactNode } from 'react'
import { useChosenIdentity, type Identity } from '../data/identity.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { Composer } from './composer.tsx'
import type { ConsoleClient, ConsoleMode } from './console-client.ts'
import { ConsoleStatus } from './console-status.tsx'
import { FramePanel } from './frame-panel.tsx'
import { useConsoleClient, type ConsoleTarget } from './use-console-client.ts'
import { IdentitySelect } from './identity-select.tsx'
import { WireButtons } from './wire-buttons.tsx'

interface ConsoleViewProps {
  readonly label: string
  readonly target: Pick<ConsoleTarget, 'path' | 'params' | 'query'>
  /** What the socket takes, where it is known. */
  readonly schema?: JsonSchema | undefined
  /** Where it can be taken away. */
  readonly onRemove?: () => void
}

/** One client of a socket: its user, its state, its frames, and a field to send. */
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
