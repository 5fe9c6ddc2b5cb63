import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import type { InspectedLiveList, LiveState } from '../../api.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { toCount, toDuration, toSize, toTimestamp } from '../components/format.ts'
import { RouteName } from '../components/route-name.tsx'
import { TableHead } from '../components/table-head.tsx'
import { toAccessText, toTargetText } from './list-text.ts'
import '../matrix/matrix.css'
import './live.css'

/** The interval at which the lists are fetched, in ms. */
const REFETCH_MS = 1000

const RESOURCE = `export const tasks = createResource('tasks', {
  …
  live: true,
})`

const COMPONENT = `// <SdkProvider live={live}>, with live from '@sdk/react/live'
const tasks = useAPI('GET /api/v1/tasks', { live: true })`

/** The live subscriptions to the app: their lists, and the work that changes cause. */
export function LivePage(): ReactNode {
  const { data } = useAPI('GET /_workbench/api/live', { refetchInterval: REFETCH_MS })
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>
            Live data <span className="count">{data === undefined ? '' : toCount(data.total)}</span>
          </h1>
          <p>Subscriptions with the same data share one list, which is read and sent once for all of them.</p>
        </div>
      </header>
      {data !== undefined && <Totals {...data} />}
      {data !== undefined && data.lists.length > 0 && <ListTable lists={data.lists} />}
      {data !== undefined && data.lists.length < data.total && (
        <p className="quiet small">
          The first {toCount(data.lists.length)} of {toCount(data.total)} lists are shown.
        </p>
      )}
      {data?.total === 0 && <NoLists />}
    </div>
  )
}

function Totals({ subscriptions, stats }: LiveState): ReactNode {
  const { ticks, tickMs, lastTickMs, reads, advances, heldBytes } = stats
  const totals = {
    Subscriptions: toCount(subscriptions),
    Ticks: toCount(ticks),
    'Last tick': ticks === 0 ? '–' : toDuration(lastTickMs),
    'Average tick': ticks === 0 ? '–' : toDuration(tickMs / ticks),
    'Lists read again': toCount(reads),
    'Lists changed in memory': toCount(advances),
    'Rows in memory': toSize(heldBytes),
  }
  return (
    <section className="card" aria-label="Totals since the app was loaded">
      <dl className="tiles live-totals">
        {Object.entries(totals).map(([name, value]) => (
          <div key={name}>
            <dt className="hint">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function ListTable({ lists }: { lists: readonly InspectedLiveList[] }): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Live lists">
      <table className="table live-table">
        <TableHead
          columns={['List', 'Rows', ['Subscribers', 'num'], ['Version', 'num'], ['Reads', 'num'], 'Last change']}
        />
        <tbody>
          {lists.map((list) => (
            <ListRow key={list.id} {...list} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ListRow({ route, target, where, members, version, reads, woken }: InspectedLiveList): ReactNode {
  const text = toTargetText(route, target)
  return (
    <tr>
      <td>
        <RouteName route={route} />
        {text !== '' && <code className="live-target">{text}</code>}
      </td>
      <td>
        <code className="live-access">{toAccessText(where)}</code>
      </td>
      <td className="num">{toCount(members)}</td>
      <td className="num">{toCount(version)}</td>
      <td className="num">{toCount(reads)}</td>
      <td>{woken === null ? <span className="quiet">none yet</span> : `${woken.by} · ${toTimestamp(woken.at)}`}</td>
    </tr>
  )
}

function NoLists(): ReactNode {
  return (
    <Empty title="No live subscriptions">
      <p>A live list shows every change of its rows. Open a page of your app with a live list to see it here.</p>
      <CodeBlock title="Let clients subscribe to a resource" code={RESOURCE} />
      <CodeBlock title="Subscribe in a component" code={COMPONENT} />
    </Empty>
  )
}
