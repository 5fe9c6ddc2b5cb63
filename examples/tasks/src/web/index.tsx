/** Shows how an app begins: who is signed in, the client, and the page. */
import { createHttpClient } from '@sdk/frontend'
import { AuthProvider, SdkProvider } from '@sdk/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { SwitchedSocket, switchedFetch } from './network.ts'
import './style.css'
import './shell.css'
import { applyTheme } from './theme.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no element with the id "root"')

// An app needs no client of its own: `<SdkProvider>` makes one. This one has a switch, to show what a bad network does.
const client = createHttpClient({ fetch: switchedFetch, WebSocket: SwitchedSocket })

applyTheme()
createRoot(root).render(
  <StrictMode>
    <AuthProvider>
      <SdkProvider client={client}>
        <App />
      </SdkProvider>
    </AuthProvider>
  </StrictMode>,
)
