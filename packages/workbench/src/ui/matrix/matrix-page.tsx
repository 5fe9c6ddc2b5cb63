import { useState, type ReactNode, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { Manifest } from '../../manifest.ts'
import { useManifest } from '../data/use-manifest.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'
import { Empty } from '../components/empty.tsx'
import { SegmentedControl } from '../components/segmented-control.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { CellGrid } from './cell-grid.tsx'
import { MatrixChoice, INITIAL_SETTINGS } from './matrix-choice.tsx'
import { RepeatView } from './repeat-view.tsx'
import { useMatrix, type LiveMatrix } from './use-matrix.ts'
import { InputEditor } from '../input/input-editor.tsx'
import { shortName } from '../components/route-name.tsx'
import { readOperationInfo } from '../routes/operation-info.ts'
import { RequestFields } from '../routes/request-fields.tsx'
import { toRouteGroups } from '../routes/route-groups.ts'
import { useDocuments } from '../routes/use-documents.ts'
import type { ApiError } from '@sdk/protocol'
import { RunButton } from '../runner/run-button.tsx'
import { useTick } from '../components/use-tick.ts'
import '../routes/routes.css'
import { useAgent } from '../runner/use-agent.ts'
import { ScoresView } from './scores-view.tsx'
import './matrix.css'

/** A page for calling a route with one input, as several identities or several times, and for comparing scores. */
export function MatrixPage(): ReactNode {
  const manifest = useManifest()
  const [search, setSearch] = useSearchParams()
  const routes = manifest?.routes.filter(({ route, kind }) => kind !== 'socket' && !route.includes('*')) ?? []
  const route = search.get('route') ?? routes[0]?.route
  const view = search.get('view') === 'scores' ? 'Scores' : 'Calls'
  if (manifest === undefined) return null
  return (
    <div className="page matrix">
      <header className="page-head">
        <div>
          <h1>Matrix</h1>
          <p>
            {view === 'Scores'
              ? 'Compare the scores that tests give to the outputs of an agent.'
              : 'Send one input as several identities, or several times.'}
          </p>
        </div>
        <SegmentedControl
          label="View"
          names={['Calls', 'Scores'] as const}
          chosen={view}
          onChoose={(name) => setSearch(name === 'Scores' ? { view: 'scores' } : {}, { replace: true })}
        />
      </header>
      {view === 'Scores' ? (
        <ScoresView />
      ) : route === undefined ? (
        <Empty title="Nothing to call yet">
          <p>
            Create an agent with <code>npx sdk add agent hello</code>.
          </p>
        </Empty>
      ) : (
        <>
          <label className="field">
            <span>Route</span>
            <select
              value={route}
              onChange={(event) => setSearch(new URLSearchParams({ route: event.target.value }), { replace: true })}
            >
              {routes.map((one) => (
                <option key={one.route}>{one.route}</option>
              ))}
            </select>
          </label>
          <MatrixRunner key={route} route={route} manifest={manifest} />
        </>
      )}
    </div>
  )
}

function MatrixRunner({ route, manifest }: { route: string; manifest: Manifest }): ReactNode {
  const [input, setInput] = useState<CallInput>(EMPTY_INPUT)
  const [choice, setChoice] = useState(INITIAL_SETTINGS)
  const matrix = useMatrix()
  const canStart = choice.by === 'repeats' || choice.who.length > 0
  const start = (): void => {
    if (canStart && !matrix.isRunning) matrix.start({ route, input, choice })
  }
  useHotkeys({ 'mod+Enter': start, Escape: matrix.cancel })
  return (
    <>
      <div className="matrix-bench">
        <div className="matrix-input">
          <MatrixInput manifest={manifest} route={route} value={input} onChange={setInput} />
        </div>
        <MatrixChoice choice={choice} onChange={setChoice} />
      </div>
      <Progress matrix={matrix} canStart={canStart} onStart={start} />
      {matrix.cells.length > 0 &&
        (matrix.by === 'identities' ? <CellGrid matrix={matrix} /> : <RepeatView matrix={matrix} />)}
    </>
  )
}

interface MatrixInputProps {
  readonly manifest: Manifest
  readonly route: string
  readonly value: CallInput
  readonly onChange: (next: CallInput) => void
}

/** The input for every call, with the same editor as on the agent's or route's page. */
function MatrixInput(props: MatrixInputProps): ReactNode {
  return props.route.startsWith('POST /agent/') ? <AgentInput {...props} /> : <RouteInput {...props} />
}

function AgentInput({ route, value, onChange }: MatrixInputProps): ReactNode {
  const { schema } = useAgent(shortName(route))
  return <InputEditor route={route} schema={schema} value={value} onChange={onChange} issues={[]} />
}

function RouteInput({ manifest, route, value, onChange }: MatrixInputProps): ReactNode {
  const documents = useDocuments(manifest)
  const entry = useMemo(
    () =>
      toRouteGroups(manifest.routes, documents ?? [])
        .flatMap(({ entries }) => entries)
        .find((one) => one.route === route),
    [manifest, documents, route],
  )
  if (entry === undefined) return null
  return <RequestFields route={route} info={readOperationInfo(entry)} value={value} onChange={onChange} error={null} />
}

interface ProgressProps {
  readonly matrix: LiveMatrix
  readonly canStart: boolean
  readonly onStart: () => void
}

function Progress({ matrix, canStart, onStart }: ProgressProps): ReactNode {
  const { cells, isRunning, stop } = matrix
  const over = cells.filter(({ progress }) => progress === 'over').length
  return (
    <div className="matrix-progress">
      <RunButton canRun={canStart} isRunning={isRunning} onRun={onStart} onCancel={matrix.cancel} />
      {cells.length > 0 && (
        <>
          <progress max={cells.length} value={over} aria-label="Finished calls" />
          <span className="num">
            {over} / {cells.length}
          </span>
        </>
      )}
      {stop !== null && <Stopped key={cells.length + over} error={stop} onGoOn={matrix.resume} />}
    </div>
  )
}

/** A notice shown after a rate limit error, with the time to wait and a button to continue. */
function Stopped({ error: { message, retryAfter = 0 }, onGoOn }: { error: ApiError; onGoOn: () => void }): ReactNode {
  const [began] = useState(() => performance.now())
  const now = useTick(retryAfter > 0)
  const left = Math.ceil(Math.max(0, retryAfter - (now - began) / 1000))
  return (
    <p className="notice" role="status">
      {message}.{' '}
      {left > 0 ? (
        `You can continue in ${left} s.`
      ) : (
        <button type="button" className="button small" onClick={onGoOn}>
          Continue
        </button>
      )}
    </p>
  )
}
