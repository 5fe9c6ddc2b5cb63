import { Component, type ReactNode } from 'react'
import { PageLoadError, PageNotLoaded } from './page-load.tsx'

type PageBoundaryState = { readonly error: unknown; readonly hasFailed: boolean }

/** An error boundary around a page. When a page throws, the rest of the workbench remains usable. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, PageBoundaryState> {
  override state: PageBoundaryState = { error: null, hasFailed: false }

  static getDerivedStateFromError(error: unknown): PageBoundaryState {
    return { error, hasFailed: true }
  }

  override render(): ReactNode {
    const { error, hasFailed } = this.state
    if (!hasFailed) return this.props.children
    if (error instanceof PageLoadError) return <PageNotLoaded />
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return (
      <div className="page">
        <section className="problem" role="alert">
          <h1>This workbench page crashed</h1>
          <p>{message}</p>
          {stack !== undefined && <pre tabIndex={0}>{stack}</pre>}
        </section>
        <div className="actions">
          <button
            type="button"
            className="button primary"
            onClick={() => this.setState({ error: null, hasFailed: false })}
          >
            Try again
          </button>
          <button type="button" className="button" onClick={() => location.reload()}>
            Reload the workbench
          </button>
        </div>
      </div>
    )
  }
}
