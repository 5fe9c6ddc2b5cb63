// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PageBoundary } from './page-boundary.tsx'

afterEach(cleanup)

describe('PageBoundary', () => {
  it('shows the error instead of the page, and renders the page again on retry', () => {
    // React logs every error that a boundary catches.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    let isBroken = true
    function Page(): ReactNode {
      if (isBroken) throw new Error('no such field')
      return 'a page'
    }
    render(
      <>
        <nav>the frame</nav>
        <PageBoundary>
          <Page />
        </PageBoundary>
      </>,
    )
    expect(screen.getByRole('alert').textContent).toContain('no such field')
    expect(screen.getByText('the frame')).toBeTruthy()
    isBroken = false
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(screen.getByText('a page')).toBeTruthy()
  })
})
