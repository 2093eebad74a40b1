module tarry-peer-go

go 1.19
