import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Manifest } from '../../manifest.ts'
import { useManifest } from '../data/use-manifest.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'
import { RouteName } from '../components/route-name.tsx'
import { links } from '../links.ts'
import { connectLines } from './connect-lines.ts'
import { ToolRunner } from './tool-runner.tsx'
import { useTools, type ToolList } from './use-tools.ts'
import '../routes/routes.css'
import './tools.css'

const MCP_ROUTE = `import { mcp } from '@sdk/mcp'

export default createRouter()
  .on('POST /api/mcp', mcp(['GET /api/v1/tasks', 'POST /agent/summarize']))`

/** The routes that the app offers to models as tools with MCP, and a runner that calls them as a client does. */
export function ToolsPage(): ReactNode {
  const manifest = useManifest()
  const lists = useTools(manifest)
  const [search] = useSearchParams()
  if (manifest === undefined || lists === undefined) return <p className="page late quiet">Loading</p>
  const tool = lists
    .flatMap(({ tools }) => tools)
    .find(({ server, name }) => server === search.get('server') && name === search.get('tool'))
  if (lists.length === 0) return <NoTools />
  return (
    <div className="routes tools" data-open={tool !== undefined}>
      <div className="routes-list">
        {tool === undefined ? <h1>Tools</h1> : <p className="routes-title">Tools</p>}
        {lists.map((list) => (
          <ToolLinks key={list.server} list={list} selected={tool?.name} />
        ))}
      </div>
      {tool === undefined ? (
        <Connections project={manifest.project} lists={lists} />
      ) : (
        <ToolRunner key={`${tool.server} ${tool.name}`} tool={tool} kind={kindOf(manifest, tool.route)} />
      )}
    </div>
  )
}

function kindOf({ routes }: Manifest, wanted: string): string {
  return routes.find(({ route }) => route === wanted)?.kind ?? 'route'
}

function ToolLinks({ list: { server, tools, error }, selected }: { list: ToolList; selected?: string | undefined }) {
  return (
    <nav className="route-list" aria-label={`Tools of ${server}`}>
      <section>
        <h2>
          <RouteName route={server} /> <span className="count">{tools.length}</span>
        </h2>
        {error !== null && (
          <p className="notice small">
            The list was rejected: {error.message}.{error.status === 401 && ' Choose a user in the header.'}
            {error.status === 500 && (
              <>
                {' '}
                See <Link href={links.errors}>Errors</Link>.
              </>
            )}
          </p>
        )}
        <ul>
          {tools.map(({ name, description }) => (
            <li key={name}>
              <Link
                href={links.tool(server, name)}
                title={description}
                aria-current={name === selected ? 'page' : undefined}
              >
                <code className="cut">{name}</code>
              </Link>
            </li>
          ))}
        </ul>
      </section>
    </nav>
  )
}

/** How to connect clients to each MCP route. */
function Connections({ project, lists }: { project: string; lists: readonly ToolList[] }): ReactNode {
  return (
    <div className="tools-connect">
      {lists.map(({ server }) => {
        const path = server.slice(server.indexOf(' ') + 1)
        return (
          <section key={server}>
            <h2>Connect a client to {path}</h2>
            {connectLines(project, location.origin + path).map((line) => (
              <CodeBlock key={line.title} {...line} />
            ))}
            <p className="quiet small">
              Claude on the web and ChatGPT connect from their servers: they need the public https URL of your app.
            </p>
          </section>
        )
      })}
    </div>
  )
}

function NoTools(): ReactNode {
  return (
    <Empty isPage title="No tools yet">
      <p>With MCP, models in other apps can call the routes that you list.</p>
      <CodeBlock title="Offer your agents as tools" code="npx sdk add mcp" />
      <CodeBlock title="Or add a route" code={MCP_ROUTE} />
    </Empty>
  )
}
