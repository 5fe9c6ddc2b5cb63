/** Shows the entry point of an app: auth, the client, live data, offline changes, and the root component. */
import { createHttpClient } from '@sdk/frontend'
import { AuthProvider, SdkProvider } from '@sdk/react'
import { live } from '@sdk/react/live'
import { offline } from '@sdk/react/offline'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { SwitchedSocket, switchedFetch } from './network.ts'
import './style.css'
import './shell.css'
import { applyTheme } from './theme.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no element with the id "root"')

// Apps usually need no custom client: `<SdkProvider>` creates one. This one can simulate a network failure.
const client = createHttpClient({ fetch: switchedFetch, WebSocket: SwitchedSocket })

applyTheme()
createRoot(root).render(
  <StrictMode>
    <AuthProvider>
      <SdkProvider client={client} live={live} offline={offline}>
        <App />
      </SdkProvider>
    </AuthProvider>
  </StrictMode>,
)
