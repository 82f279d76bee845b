//! Access to the dashboard.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::serve::IncomingStream;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::auth::{Access, Role};
use crate::connections::{Incoming, Peer};

/// Headers of every response, which restrict what browsers may do with the page.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Supervisors request this path without a token.
const HEALTH: &str = "/health";

#[derive(Clone)]
pub(crate) struct Gate {
    /// `None` if requests need no token.
    access: Option<Access>,
    /// The permitted host names in lower case.
    names: Arc<[String]>,
}

impl Gate {
    pub(crate) fn new(access: Option<Access>, names: Vec<String>) -> Gate {
        let mut names: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        names.push("localhost".to_owned());
        Gate { access, names: names.into() }
    }

    pub(crate) async fn pass(State(gate): State<Gate>, request: Request, next: Next) -> Response {
        let mut response = match gate.check(&request) {
            Ok(()) => next.run(request).await,
            Err(refusal) => refusal.into_response(),
        };
        for (name, value) in HEADERS {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }

    fn check(&self, request: &Request) -> Result<(), Refusal> {
        self.check_host(request.headers())?;
        let authenticated = self.access.as_ref().is_none_or(|access| {
            token(request.headers()).is_some_and(|token| access.permits(&token, Role::Viewer))
        });
        if authenticated
            && let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<Peer>>()
        {
            peer.release();
        }
        match authenticated || request.uri().path() == HEALTH {
            true => Ok(()),
            false => Err(Refusal::Unauthenticated),
        }
    }

    /// Without this check, a page of another site could read the dashboard in a user's browser,
    /// through a name that temporarily resolves to this address (DNS rebinding). IP addresses are
    /// not resolved.
    fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.ok_or_else(|| Refusal::Host(String::new()))?;
        if host.parse::<SocketAddr>().is_ok() || host.parse::<IpAddr>().is_ok() {
            return Ok(());
        }
        let authority = host.parse::<Authority>().ok();
        let name = authority.as_ref().map_or("", Authority::host).to_ascii_lowercase();
        let bracketed = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let known = bracketed.is_some_and(|address| address.parse::<IpAddr>().is_ok())
            || self.names.contains(&name);
        if known { Ok(()) } else { Err(Refusal::Host(host.to_owned())) }
    }
}

/// Browsers ask their users for the password of basic authentication (RFC 7617).
fn token(headers: &HeaderMap) -> Option<String> {
    let (scheme, value) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(value.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(BASE64_STANDARD.decode(value.trim()).ok()?).ok()?;
    decoded.split_once(':').map(|(_, password)| password.trim().to_owned())
}

enum Refusal {
    Host(String),
    Unauthenticated,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Refusal::Host(host) => {
                let text = format!(
                    "this dashboard is not `{host}`: use localhost or its IP address, or start the \
                     coordinator with --dashboard-name NAME\n"
                );
                (StatusCode::MISDIRECTED_REQUEST, text).into_response()
            }
            Refusal::Unauthenticated => {
                let ask =
                    [(header::WWW_AUTHENTICATE, "Basic realm=\"catherd\", charset=\"UTF-8\"")];
                let text = "the token of a viewer is needed; enter it as the password, with any user name\n";
                (StatusCode::UNAUTHORIZED, ask, text).into_response()
            }
        }
    }
}

impl axum::extract::connect_info::Connected<IncomingStream<'_, Incoming>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Incoming>) -> Peer {
        stream.remote_addr().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::TokenStore;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        [(name, HeaderValue::from_str(value).unwrap())].into_iter().collect()
    }

    #[test]
    fn only_names_of_the_dashboard_pass() {
        let gate = Gate::new(None, vec!["Ant.example.org".to_owned()]);
        let check = |host: &str| gate.check_host(&headers(header::HOST, host)).is_ok();
        for host in ["localhost", "LOCALHOST:7421", "127.0.0.1:1", "[::1]:7", "[::1]", "10.0.0.7"] {
            assert!(check(host), "{host}");
        }
        assert!(check("ant.example.org:7421") && gate.check_host(&HeaderMap::new()).is_err());
        for host in
            ["evil.example.org", "localhost.example.org", "127.0.0.1.example.org", "", "x:y"]
        {
            assert!(!check(host), "{host}");
        }
    }

    #[test]
    fn tokens_come_as_bearer_or_as_a_password() {
        let access = Access::new(Some(TokenStore::of("secret", Role::Viewer, "me")));
        let gate = Gate::new(Some(access), Vec::new());
        let check = |path: &str, authorization: &str| {
            let mut request = Request::new(axum::body::Body::empty());
            *request.uri_mut() = path.parse().unwrap();
            *request.headers_mut() = headers(header::AUTHORIZATION, authorization);
            request.headers_mut().insert(header::HOST, HeaderValue::from_static("localhost"));
            gate.check(&request).is_ok()
        };
        let basic = format!("Basic {}", BASE64_STANDARD.encode("me:secret"));
        assert!(check("/", "Bearer secret") && check("/metrics", &basic));
        assert!(!check("/", "Bearer wrong") && !check("/", "Basic secret") && !check("/", "x"));
        assert!(check("/health", "x") && !check("/healthy", "x"));
    }
}
