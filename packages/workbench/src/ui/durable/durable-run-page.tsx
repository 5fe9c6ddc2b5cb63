import type { RunWaiting } from '@sdk/protocol'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunInspection } from '../../api.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Empty } from '../components/empty.tsx'
import { toTimestamp } from '../components/format.ts'
import { JsonView } from '../components/json-view.tsx'
import { parseJson } from '../components/parse-json.ts'
import { Tabs, type Tab } from '../components/tabs.tsx'
import { useManifest } from '../data/use-manifest.ts'
import { links } from '../links.ts'
import { AttemptsView } from './attempts-view.tsx'
import { ChunksView } from './chunks-view.tsx'
import { DurableActions } from './durable-actions.tsx'
import { EventForm } from './event-form.tsx'
import { EventsView } from './events-view.tsx'
import { RunFailure } from './run-failure.tsx'
import { StatusPill } from './status-pill.tsx'
import { Fact, StepsView } from './steps-view.tsx'
import { StoredJsonView } from './stored-json-view.tsx'
import { isConversation, ThreadConversation } from './thread-conversation.tsx'
import { isKnownAgent, useDurableRun } from './use-durable.ts'
import '../run/run.css'
import '../runs/runs.css'
import './durable.css'

type DurableTab = 'Steps' | 'Conversation' | 'Chunks' | 'Events' | 'Attempts' | 'Input' | 'Output' | 'Thread'

/** The page for a durable run, which follows the run until it ends. */
export function DurableRunPage({ id }: { id: string }): ReactNode {
  const { found, isMissing, refetch } = useDurableRun(id)
  const manifest = useManifest()
  const [tab, setTab] = useState<DurableTab>('Steps')
  if (found === undefined)
    return isMissing ? (
      <div className="page">
        <h1>Durable run</h1>
        <Empty title="Durable run not found">
          <p>
            The run was deleted, or belongs to another database. <Link href={links.durableRuns}>All durable runs</Link>
          </p>
        </Empty>
      </div>
    ) : (
      <p className="page quiet">Loading</p>
    )
  const { run } = found
  const isKnown = isKnownAgent(manifest, run.agent)
  return (
    <div className="page durable-run">
      <header className="page-head">
        <div>
          <p className="small">
            <Link href={links.runs}>Runs</Link> / <Link href={links.durableRuns}>Durable</Link> / {run.id}
          </p>
          <h1>{run.agent}</h1>
        </div>
        <div className="actions">
          {isKnown && <DurableActions found={found} onChanged={refetch} />}
          <CopyButton label="Copy id" text={run.id} />
        </div>
      </header>
      <RunFacts found={found} />
      {!isKnown && <UnknownAgent found={found} />}
      {run.isGone && <p className="notice">The steps, chunks and values of this run have expired.</p>}
      <WaitingCard found={found} isKnown={isKnown} onSent={refetch} />
      <RunFailure found={found} />
      <Tabs label="Durable run" tabs={toTabs(found)} selected={tab} onSelect={setTab} />
    </div>
  )
}

function toTabs(found: RunInspection): Tab<DurableTab>[] {
  const { run, chunkCount, events, attempts, input, output, state } = found
  return [
    { name: 'Steps', count: run.stepCount, view: <StepsView found={found} /> },
    ...(isConversation(found) ? [{ name: 'Conversation' as const, view: <ThreadConversation found={found} /> }] : []),
    { name: 'Chunks', count: chunkCount, view: <ChunksView found={found} /> },
    { name: 'Events', count: events.length, view: <EventsView found={found} /> },
    { name: 'Attempts', count: attempts.length, view: <AttemptsView found={found} /> },
    { name: 'Input', view: <StoredJsonView label="Input" json={input} /> },
    { name: 'Output', view: <StoredJsonView label="Output" json={output} /> },
    ...(state === null ? [] : [{ name: 'Thread' as const, view: <StoredJsonView label="State" json={state} /> }]),
  ]
}

function RunFacts({ found: { run } }: { found: RunInspection }): ReactNode {
  const { status, userId, thread, epoch, process, createdAt, endedAt, dueAt } = run
  const toTime = (time: string): ReactNode => <time dateTime={time}>{toTimestamp(Date.parse(time))}</time>
  return (
    <dl className="run-facts">
      <Fact name="Status">
        <StatusPill status={status} />
      </Fact>
      <Fact name="Attempts">{epoch}</Fact>
      <Fact name="Created">{toTime(createdAt)}</Fact>
      {dueAt !== null && <Fact name="Continues">{toTime(dueAt)}</Fact>}
      {endedAt !== null && <Fact name="Ended">{toTime(endedAt)}</Fact>}
      <Fact name="User">{userId ?? 'anonymous'}</Fact>
      {thread !== null && (
        <Fact name="Thread">
          <Link href={links.durableThread(thread)}>{thread}</Link>
        </Fact>
      )}
      {process !== null && <Fact name="Process">{process}</Fact>}
    </dl>
  )
}

function UnknownAgent({ found: { run } }: { found: RunInspection }): ReactNode {
  return (
    <p className="notice" role="note">
      This app has no durable agent named <code>{run.agent}</code>.{' '}
      {run.endedAt === null && 'The run continues when a process that defines the agent starts.'}
    </p>
  )
}

interface WaitingCardProps {
  readonly found: RunInspection
  readonly isKnown: boolean
  readonly onSent: () => void
}

/** The event or time that a run waits for, with a form for the event. */
function WaitingCard({ found: { run }, isKnown, onSent }: WaitingCardProps): ReactNode {
  const waiting = run.waiting === null ? null : (parseJson(run.waiting) as RunWaiting | null)
  if (waiting === null) return null
  const { event, id, ask, until } = waiting
  const time = until === null ? null : toTimestamp(Date.parse(until))
  if (event === null) return <p className="notice">The run sleeps until {time} and uses no memory until then.</p>
  return (
    <section className="card" aria-label={`Waits for ${event}`}>
      <h2>
        Waits for <code>{event}</code>
        {id !== null && (
          <>
            {' '}
            with the id <code>{id}</code>
          </>
        )}
        {time !== null && <span className="count"> until {time}</span>}
      </h2>
      {ask !== null && <JsonView label="Ask" value={ask} />}
      {isKnown && <EventForm key={`${event} ${id}`} run={run} event={event} waitId={id} onSent={onSent} />}
    </section>
  )
}
