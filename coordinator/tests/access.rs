//! Tests which services a coordinator offers, and which tokens it accepts.

use catherd_coordinator::auth::{Role, TokenStore};
use catherd_coordinator::{Coordinator, CoordinatorOptions};
use catherd_proto::transport::{self, Access, Token};
use catherd_proto::{PROTOCOL, v1};
use tokio::net::TcpListener;
use tonic::Code;

/// The answers of the worker service and the study service. `None` stands for an accepted request.
async fn answers(address: &str, token: Token) -> [Option<Code>; 2] {
    let access = Access { tls: None, token };
    let register = v1::RegisterRequest {
        worker: "w".to_owned(),
        protocol: PROTOCOL,
        engines: [("noop".to_owned(), "1".to_owned())].into(),
        ..Default::default()
    };
    let mut workers = transport::coordinator_client(address, &access).unwrap();
    let mut studies = transport::studies_client(address, &access).unwrap();
    [
        workers.register(register).await.err().map(|status| status.code()),
        studies.get_status(v1::StatusRequest {}).await.err().map(|status| status.code()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn without_clients_there_is_no_study_service() {
    for (serve_clients, offered) in [(false, Some(Code::Unimplemented)), (true, None)] {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Some(TokenStore::of("secret", Role::Administrator, "me"));
        let options =
            CoordinatorOptions { tokens, serve_clients, ..CoordinatorOptions::new(folder.path()) };
        let coordinator = Coordinator::open(options).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(coordinator.serve(listener));
        let secret = Token::Known("secret".to_owned());
        assert_eq!(answers(&address, secret.clone()).await, [None, offered]);
        let refused = Some(Code::Unauthenticated);
        let other = answers(&address, Token::Known("other".to_owned())).await;
        assert_eq!(other, [refused, refused.filter(|_| serve_clients).or(offered)]);
        assert_eq!(answers(&address, Token::None).await[0], refused);
        coordinator.set_tokens(TokenStore::default());
        assert_eq!(answers(&address, secret).await[0], refused, "an empty store admits nothing");
    }
}
