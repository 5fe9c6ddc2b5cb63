import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'
import type { MatrixResult, MatrixSummary } from '../../api.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { toTimestamp } from '../components/format.ts'
import { JsonView } from '../components/json-view.tsx'
import { Pill } from '../components/pill.tsx'
import { TableHead } from '../components/table-head.tsx'
import { toChangeText, toScoreRows, toScoreText, type ScoreCell, type ScoreRow } from './score-rows.ts'

/** The interval at which the results of tests are fetched, in ms. */
const REFETCH_MS = 2000

const TEST = `const app = await testApp(\`\${import.meta.dirname}/..\`, { models: \`\${import.meta.dirname}/models\` })

await app.agent('poem').matrix({
  inputs: [{ subject: 'tea' }, { subject: 'ice' }],
  variants: { small: { model: 'gpt-5-mini' }, large: { model: 'gpt-5' } },
  scores: ({ lines }) => (lines.length === 2 ? 1 : 0),
})`

/** The scored matrices that tests have stored, each compared with an earlier one of the same agent. */
export function ScoresView(): ReactNode {
  const { data } = useAPI('GET /_workbench/api/matrix', { refetchInterval: REFETCH_MS })
  const [chosen, setChosen] = useState('')
  const [other, setOther] = useState('')
  if (data === undefined) return null
  const { results } = data
  const current = results.find(({ id }) => id === chosen) ?? results[0]
  if (current === undefined) return <NoScores />
  const earlier = results.filter(({ id, route }) => route === current.route && id < current.id)
  const before = earlier.find(({ id }) => id === other) ?? earlier[0]
  return (
    <>
      <div className="matrix-repeats matrix-results">
        <ResultSelect label="Result" results={results} value={current.id} onChange={setChosen} />
        {before !== undefined && (
          <ResultSelect label="Compared with" results={earlier} value={before.id} onChange={setOther} />
        )}
      </div>
      <ResultTable key={current.id} id={current.id} before={before?.id ?? null} />
    </>
  )
}

function NoScores(): ReactNode {
  return (
    <Empty title="No scores yet">
      <p>Score the outputs of an agent in a test. The results of each run of the test appear here.</p>
      <CodeBlock title="TypeScript" code={TEST} />
    </Empty>
  )
}

interface ResultSelectProps {
  readonly label: string
  readonly results: readonly MatrixSummary[]
  readonly value: string
  readonly onChange: (id: string) => void
}

function ResultSelect({ label, results, value, onChange }: ResultSelectProps): ReactNode {
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {results.map(({ id, route, at, calls }) => (
          <option key={id} value={id}>
            {`${route.replace('POST /agent/', '')} · ${toTimestamp(Date.parse(at))} · ${calls} calls`}
          </option>
        ))}
      </select>
    </label>
  )
}

function ResultTable({ id, before }: { id: string; before: string | null }): ReactNode {
  const { data: result } = useAPI('GET /_workbench/api/matrix/:id', { params: { id }, staleTime: Infinity })
  const { data: earlier } = useAPI('GET /_workbench/api/matrix/:id', {
    params: { id: before ?? id },
    staleTime: Infinity,
  })
  const [place, setPlace] = useState<string | null>(null)
  if (result === undefined || earlier === undefined) return null
  const rows = toScoreRows(result, before === null ? undefined : earlier)
  const cell = rows.flatMap(({ cells }) => cells).find((one) => toPlace(one) === place)
  return (
    <>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Scores">
        <table className="table matrix-scores">
          <TableHead
            columns={['Input', ...Object.keys(result.scores).map((name): [string, string] => [name, 'num'])]}
          />
          <tbody>
            <MeanRow result={result} earlier={before === null ? null : earlier} />
            {rows.map((row) => (
              <InputRow
                key={row.row}
                row={row}
                place={place}
                onChoose={(next) => setPlace(next === place ? null : next)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {cell !== undefined && <CellDetails cell={cell} />}
    </>
  )
}

function MeanRow({ result, earlier }: { result: MatrixResult; earlier: MatrixResult | null }): ReactNode {
  return (
    <tr>
      <th scope="row">Mean</th>
      {Object.entries(result.scores).map(([variant, score]) => {
        const before = earlier?.scores[variant]
        return (
          <td key={variant} className="num">
            <strong>{toScoreText(score)}</strong> <Change change={before === undefined ? null : score - before} />
          </td>
        )
      })}
    </tr>
  )
}

interface InputRowProps {
  readonly row: ScoreRow
  readonly place: string | null
  readonly onChoose: (place: string) => void
}

function InputRow({ row: { input, cells }, place, onChoose }: InputRowProps): ReactNode {
  return (
    <tr>
      <th scope="row" className="matrix-answer cut">
        <code>{JSON.stringify(input)}</code>
      </th>
      {cells.map((cell) => (
        <td key={cell.variant} className="num">
          <button
            type="button"
            className="button small"
            aria-pressed={toPlace(cell) === place}
            aria-label={`Output of ${cell.variant} for input ${cell.row + 1}, score ${toScoreText(cell.score)}`}
            onClick={() => onChoose(toPlace(cell))}
          >
            {toScoreText(cell.score)}
          </button>{' '}
          <Change change={cell.change} /> {cell.isOther && <Pill tone="warn">changed</Pill>}
        </td>
      ))}
    </tr>
  )
}

function Change({ change }: { change: number | null }): ReactNode {
  const text = toChangeText(change)
  if (text === '') return null
  return <Pill tone={text === '=' ? 'quiet' : text.startsWith('+') ? 'good' : 'bad'}>{text}</Pill>
}

/** The output of a call, and the earlier one if it differs. */
function CellDetails({ cell: { variant, input, output, before, isOther } }: { cell: ScoreCell }): ReactNode {
  return (
    <section className="card matrix-details" aria-label={`Output of ${variant}`}>
      <h2>Input</h2>
      <JsonView value={input} label="Input" />
      <h2>Output of {variant}</h2>
      <JsonView value={output} label="Output" />
      {isOther && <h2>Earlier output</h2>}
      {isOther && <JsonView value={before?.output} label="Earlier output" />}
    </section>
  )
}

function toPlace({ row, variant }: { row: number; variant: string }): string {
  return `${row} ${variant}`
}
