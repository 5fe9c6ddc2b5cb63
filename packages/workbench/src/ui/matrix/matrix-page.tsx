import { useState, type ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import type { Manifest } from '../../manifest.ts'
import { useManifest } from '../data/use-manifest.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'
import { Empty } from '../components/empty.tsx'
import { useHotkeys } from '../components/use-hotkeys.ts'
import { CellGrid } from './cell-grid.tsx'
import { MatrixChoice, INITIAL_SETTINGS } from './matrix-choice.tsx'
import { MatrixInput } from './matrix-input.tsx'
import { Progress } from './progress.tsx'
import { RepeatView } from './repeat-view.tsx'
import { useMatrix } from './use-matrix.ts'
import './matrix.css'

/** One input by many identities, or many times. */
export function MatrixPage(): ReactNode {
  const manifest = useManifest()
  const [search, setSearch] = useSearchParams()
  const routes = manifest?.routes.filter(({ route, kind }) => kind !== 'socket' && !route.includes('*')) ?? []
  const route = search.get('route') ?? routes[0]?.route
  if (manifest === undefined) return null
  return (
    <div className="page matrix">
      <header className="page-head">
        <div>
          <h1>Matrix</h1>
          <p>One input, called by many identities or many times.</p>
        </div>
      </header>
      {route === undefined ? (
        <Empty title="There is nothing to call yet">
          <p>
            Write an agent with <code>npx sdk add agent hello</code>.
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
