import { useAPI, useAuth } from '@sdk/react'

interface Ask {
  readonly asker: string
  readonly ownerId: string
  readonly tool: string
  readonly input: unknown
}

/** The calls of other users that wait for this user. The agent's `durable.access` decides who may approve them. */
export function Approvals() {
  const { user } = useAuth()
  const { data } = useAPI('GET /agent/assistant/runs', { query: { waiting: 'approval' }, refetchInterval: 3000 })
  const asked = (data?.data ?? []).flatMap(({ id: run, waiting }) =>
    waiting?.id ? [{ run, call: waiting.id, ask: waiting.ask as Ask }] : [],
  )
  return asked
    .filter(({ ask }) => ask.ownerId !== user?.id)
    .map(({ run, call, ask }) => (
      <article key={call} aria-label="Approval">
        <p>
          {ask.asker} asks for <strong>{ask.tool}</strong>
        </p>
        <pre>{JSON.stringify(ask.input, null, 2)}</pre>
        <Decision run={run} call={call} />
      </article>
    ))
}

/** Approves or rejects a call. The first decision counts. */
export function Decision({ run, call }: { run: string; call: string }) {
  const { invoke, isLoading, isSuccess, error } = useAPI('POST /agent/assistant/runs/:run/events/approval', {
    invalidates: ['GET /agent/assistant/runs'],
  })
  const decide = (ok: boolean): void => void invoke({ ok }, { params: { run }, query: { id: call } })
  const isDecided = isLoading || isSuccess
  return (
    <p className="row">
      <button type="button" disabled={isDecided} onClick={() => decide(true)}>
        Approve
      </button>
      <button type="button" className="plain" disabled={isDecided} onClick={() => decide(false)}>
        Reject
      </button>
      {error !== null && <span role="alert">{error.message}</span>}
    </p>
  )
}
